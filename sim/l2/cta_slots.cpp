#include "sim/l2/cta_slots.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/replay_values.h"
#include "sim/l2/set_map.h"
#include "sim/l2/sm_places.h"
#include "sim/loops.h"
#include "sim/occupancy.h"

namespace hbmscope {
namespace {

// The tile of a stream that comes from the L2 while all its CTAs load theirs takes so many turns: enough for
// those that find theirs to run ahead. Streams of 36 to 48 MiB that are read again move the same within 1 %
// with four times as many turns, within 4 % with a quarter.
constexpr double kTurnsOfStream = 16;

// Of the numbers drawn for a launch: those of GPCs come before.
constexpr std::uint64_t kFirstOfSms = 1U << 10U;
constexpr std::uint64_t kFirstOfItems = 1U << 20U;

std::int64_t ctas_per_sm(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  if (launch.threads == 0) return 1;  // no kernel is described
  return std::max<std::int64_t>(1, occupancy_of(launch, program, gpu).ctas_per_sm);
}

// One tile: the largest that the launch moves at once.
double largest_tile(const LaunchBody& body) {
  std::int64_t largest = 1;
  for (const Access& access : body.launch().accesses) {
    const Tensor& tensor = body.program().tensors[access.tensor];
    const std::int64_t rows = std::min(access.rows.extent, tensor.rows);
    const std::int64_t columns = std::min(access.columns.extent, tensor.columns);
    largest = std::max(largest, rows * columns * tensor.element_bytes);
  }
  return static_cast<double>(largest);
}

// Irwin and Hall: the sum of twelve uniform numbers, less six, is close to normal with a deviation of one.
double nearly_normal(std::uint64_t seed) {
  double sum = -6;
  for (std::uint64_t number = 0; number < 12; ++number)
    sum += static_cast<double>(mixed(seed * 12 + number) >> 11U) * 0x1p-53;
  return sum;
}

// Each GPC has a clock of its own. How far they lie apart hangs on the load and differs from launch to
// launch of one kernel: its logarithm deviates by kClockSpread (0.57:
// bench/recorded/ctas_h200/cta_rates.csv).
double clock_of(int gpc, double deviation, std::uint64_t seed) {
  constexpr double kClockSpread = 0.6;
  const std::uint64_t launch = mixed(seed);
  const double of_launch = deviation * std::exp(kClockSpread * nearly_normal(launch));
  return 1 + of_launch * nearly_normal(launch + 1 + static_cast<std::uint64_t>(gpc));
}

// SMs lie near the L2's slices, or far from them; several CTAs hide from each other what that takes, and
// other people's kernels are taken to hide it by asking for their tiles earlier.
double lone_pace_of(int sm, double deviation, std::uint64_t seed) {
  return 1 + deviation * nearly_normal(mixed(seed) + kFirstOfSms + static_cast<std::uint64_t>(sm));
}

// What all CTAs move in a turn of one byte where every SM holds as many as it can.
double full_bytes(const CtaRates& rates, std::int64_t ctas_of_sm, std::int64_t sms) {
  double bytes = 0;
  const auto residents = static_cast<int>(ctas_of_sm);
  for (int older = 0; older < residents; ++older) bytes += rates.speed(residents, older);
  return bytes * static_cast<double>(sms);
}

}  // namespace

std::int64_t resident_ctas(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  const std::int64_t places = gpu.sms * ctas_per_sm(launch, program, gpu);
  const std::int64_t ctas = std::min(grid_size(launch, program), places);
  return launch.persistent_ctas > 0 ? std::min(ctas, launch.persistent_ctas) : ctas;
}

CtaSlots::CtaSlots(const LaunchBody& body, const GpuSpec& gpu, std::uint64_t seed,
                   const std::optional<StreamQueues>& queues)
    : body_(body),
      turn_length_(largest_tile(body)),
      rates_(cta_rates(body.launch(), body.program(), gpu)),
      seed_(seed),
      queues_(queues) {
  const std::int64_t ctas = resident_ctas(body.launch(), body.program(), gpu);
  const ReplayValues values = replay_values(gpu);
  several_on_an_sm_ = ctas > gpu.sms;
  step_deviation_ = several_on_an_sm_ ? values.shared_step_deviation : 0;
  const double clock_deviation = body.launch().gpc_clock_deviation.value_or(values.gpc_clock_deviation);
  const bool shows_distance = !several_on_an_sm_ && !body.launch().kernel.empty();
  const double lone_deviation = shows_distance ? values.lone_sm_deviation : 0;
  rates_.stall = rates_.stall_beside(static_cast<double>(ctas) / static_cast<double>(gpu.sms));
  if (queues_) turn_length_ *= static_cast<double>(ctas) / queues_->l2_bytes_per_s / kTurnsOfStream;
  turns_.resize(static_cast<std::size_t>(ctas));
  slots_of_sm_.resize(static_cast<std::size_t>(gpu.sms));
  // Breadth first: one CTA on every SM, then the next; the last ones are dealt as a launch of so few is.
  while (static_cast<std::int64_t>(slots_.size()) < ctas) {
    const std::int64_t left = ctas - static_cast<std::int64_t>(slots_.size());
    for (const SmPlace& place : places_of_ctas(gpu, std::min(left, gpu.sms), seed)) {
      slots_of_sm_[static_cast<std::size_t>(place.sm)].push_back(slots_.size());
      slots_.push_back(
          {.cursor = CtaCursor(body, 0),
           .clock = clock_of(place.gpc, clock_deviation, seed) * lone_pace_of(place.sm, lone_deviation, seed),
           .sm = place.sm,
           .side = place.side});
    }
  }
  full_bytes_per_turn_ =
      turn_length_ * full_bytes(rates_, ctas_per_sm(body.launch(), body.program(), gpu), gpu.sms);
  set_stalls();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) running_ += start_next(slot) ? 1 : 0;
  for (std::int64_t sm = 0; sm < gpu.sms; ++sm) set_rates(static_cast<int>(sm));
}

std::int64_t CtaSlots::next_item(std::size_t number) {
  if (body_.launch().schedule != Schedule::static_stride) return drawn_++;
  const auto stride = static_cast<std::int64_t>(slots_.size());
  return static_cast<std::int64_t>(number) + stride * turns_[number]++;
}

// Schedulers that serve several CTAs do not share alike at every tile; over many of them that evens out.
double CtaSlots::pace_of(std::int64_t position) const {
  if (step_deviation_ <= 0) return 1;
  const std::uint64_t tiles = std::max<std::uint64_t>(body_.iterations_of(body_.item_at(position)), 1);
  const double deviation = step_deviation_ / std::sqrt(static_cast<double>(tiles));
  return 1 + deviation * nearly_normal(mixed(seed_) + kFirstOfItems + static_cast<std::uint64_t>(position));
}

// Items without an access take no time.
bool CtaSlots::start_next(std::size_t number) {
  Slot& slot = slots_[number];
  for (;;) {
    const std::int64_t position = next_item(number);
    slot.running = position < body_.items();
    if (!slot.running) return false;
    slot.cursor = CtaCursor(body_, body_.item_at(position), static_cast<std::int64_t>(number));
    slot.age = position;
    slot.pace = slot.clock * pace_of(position);
    if (advance(slot)) return true;
  }
}

bool CtaSlots::restart(std::size_t number) {
  const bool started = start_next(number);
  if (!started) --running_;
  set_rates(slots_[number].sm);
  return started;
}

// Where all are alone, they are what others are compared with.
double CtaSlots::unit() const { return several_on_an_sm_ ? 1 : rates_.speed(1, 0); }

void CtaSlots::set_stalls() {
  std::size_t most = 0;
  for (const std::vector<std::size_t>& slots : slots_of_sm_) most = std::max(most, slots.size());
  for (std::size_t residents = 1; residents <= most; ++residents) {
    std::vector<Stalls>& by_age = stalls_.emplace_back(residents);
    for (std::size_t step = 0; step <= kBusySteps; ++step) {
      const double shared = rates_.shared_stall_beside(static_cast<double>(step) / kBusySteps);
      for (std::size_t older = 0; older < residents; ++older)
        by_age[older][step] =
            rates_.stall_of(static_cast<int>(residents), static_cast<int>(older), shared) * unit();
    }
  }
}

void CtaSlots::set_rates(int sm) {
  std::vector<Slot*> resident;
  const std::vector<std::size_t>& slots = slots_of_sm_[static_cast<std::size_t>(sm)];
  for (const std::size_t slot : slots) {
    if (slots_[slot].running) resident.push_back(&slots_[slot]);
  }
  std::sort(resident.begin(), resident.end(), [](const Slot* a, const Slot* b) { return a->age < b->age; });
  const auto residents = static_cast<int>(resident.size());
  for (int older = 0; older < residents; ++older) {
    Slot& slot = *resident[static_cast<std::size_t>(older)];
    slot.rate = slot.pace * rates_.speed(residents, older) / unit();
    slot.gain = rates_.gain(residents, older);
    const Stalls& stalls = stalls_[resident.size() - 1][static_cast<std::size_t>(older)];
    slot.stalls = stalls.front() > 0 ? &stalls : nullptr;
  }
}

}  // namespace hbmscope
