#include "sim/l2/cta_slots.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/replay_values.h"
#include "sim/loops.h"
#include "sim/occupancy.h"

namespace hbmscope {
namespace {

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

std::vector<SmRun> assumed_runs(const GpuSpec& gpu) {
  constexpr std::int64_t kRuns = 8;
  std::vector<SmRun> runs;
  for (std::int64_t run = 0; run < kRuns; ++run) {
    const std::int64_t sms = gpu.sms * (run + 1) / kRuns - gpu.sms * run / kRuns;
    if (sms > 0) runs.push_back({sms, run % gpu.l2().instances});
  }
  return runs;
}

// How many CTAs each run gets: the first as many as it holds, the others the same, as far as they hold them.
std::vector<std::int64_t> deal(const std::vector<SmRun>& runs, std::int64_t ctas) {
  std::vector<std::int64_t> dealt(runs.size());
  dealt[0] = std::min(ctas, runs[0].sms);
  std::int64_t left = ctas - dealt[0];
  while (left > 0) {
    const std::int64_t before = left;
    for (std::size_t run = 1; run < runs.size() && left > 0; ++run) {
      if (dealt[run] == runs[run].sms) continue;
      ++dealt[run];
      --left;
    }
    if (left == before) break;  // more CTAs than SMs
  }
  return dealt;
}

}  // namespace

std::vector<int> sides_of_sms(const GpuSpec& gpu, std::int64_t ctas, std::uint64_t seed) {
  std::vector<SmRun> runs = gpu.sm_runs.empty() ? assumed_runs(gpu) : gpu.sm_runs;
  if (gpu.sm_runs_rotate && gpu.sm_runs.size() > 2) {
    const auto others = runs.begin() + 1;
    std::rotate(others, others + static_cast<std::ptrdiff_t>(seed % (runs.size() - 1)), runs.end());
  }
  const std::vector<std::int64_t> dealt = deal(runs, ctas);
  std::vector<int> sides;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    sides.insert(sides.end(), static_cast<std::size_t>(dealt[run]), static_cast<int>(runs[run].side));
  }
  return sides;
}

std::int64_t resident_ctas(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  const std::int64_t places = gpu.sms * ctas_per_sm(launch, program, gpu);
  const std::int64_t ctas = std::min(grid_size(launch, program), places);
  return launch.persistent_ctas > 0 ? std::min(ctas, launch.persistent_ctas) : ctas;
}

CtaSlots::CtaSlots(const LaunchBody& body, const GpuSpec& gpu, std::uint64_t seed)
    : body_(body), turn_bytes_(largest_tile(body)), rates_(cta_rates(body.launch(), body.program(), gpu)) {
  const std::int64_t ctas = resident_ctas(body.launch(), body.program(), gpu);
  const std::vector<int> sides = sides_of_sms(gpu, ctas, seed);
  sms_ = static_cast<std::int64_t>(sides.size());
  turns_.resize(static_cast<std::size_t>(ctas));
  for (std::int64_t cta = 0; cta < ctas; ++cta) {
    const std::int64_t sm = cta % sms_;
    slots_.push_back({.cursor = CtaCursor(body, 0),
                      .sm = static_cast<int>(sm),
                      .side = sides[static_cast<std::size_t>(sm)]});
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) running_ += start_next(slot) ? 1 : 0;
  for (std::int64_t sm = 0; sm < sms_; ++sm) set_rates(static_cast<int>(sm));
}

std::int64_t CtaSlots::next_item(std::size_t number) {
  if (body_.launch().schedule != Schedule::static_stride) return drawn_++;
  const auto stride = static_cast<std::int64_t>(slots_.size());
  return static_cast<std::int64_t>(number) + stride * turns_[number]++;
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
    if (advance(slot)) return true;
  }
}

bool CtaSlots::restart(std::size_t number) {
  const bool started = start_next(number);
  if (!started) --running_;
  set_rates(slots_[number].sm);
  return started;
}

void CtaSlots::set_rates(int sm) {
  std::vector<Slot*> resident;
  for (auto slot = static_cast<std::size_t>(sm); slot < slots_.size();
       slot += static_cast<std::size_t>(sms_)) {
    if (slots_[slot].running) resident.push_back(&slots_[slot]);
  }
  std::sort(resident.begin(), resident.end(), [](const Slot* a, const Slot* b) { return a->age < b->age; });
  for (std::size_t rank = 0; rank < resident.size(); ++rank) {
    resident[rank]->rate = std::pow(rates_.younger, static_cast<double>(rank));
  }
  const bool alone = resident.size() == 1 && slots_.size() > static_cast<std::size_t>(sms_);
  if (alone) resident.front()->rate = rates_.lone;
}

}  // namespace hbmscope
