#include "profiler/calibration/micro_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "profiler/statistics.h"
#include "sim/l2/l2_model.h"
#include "sim/l2/replay.h"
#include "sim/l2/tensor_places.h"
#include "sim/program.h"

namespace hbmscope {
namespace {

constexpr std::int64_t kRounds = 4;

// Between medians, as a share of what was counted or in bytes.
constexpr double kReproduced = 0.05;
constexpr double kNegligibleBytes = 1e6;

Bytes whole_mib(double bytes) {
  return static_cast<Bytes>(std::max(1.0, std::round(bytes / static_cast<double>(kMiB)))) * kMiB;
}

void add(std::vector<MicroPattern>& patterns, const char* name, double unit, std::span<const double> shares,
         const std::vector<RingPass>& passes) {
  for (const double share : shares) patterns.push_back({name, whole_mib(unit * share), passes});
}

}  // namespace

int MicroPattern::buffers() const {
  int last = 0;
  for (const RingPass& pass : passes) last = std::max({last, pass.first_buffer, pass.copies_to});
  return last + 1;
}

std::vector<MicroPattern> micro_patterns(const GpuSpec& gpu) {
  const double capacity = gpu.l2().capacity_bytes.value;
  // What the L2 holds of data that all SMs read.
  const double shared = capacity / static_cast<double>(std::max<std::int64_t>(gpu.l2().copies, 1));
  const RingPass all{.ctas = gpu.sms, .rounds = kRounds};
  const RingPass one{.ctas = 1, .rounds = kRounds};
  const RingPass to_and_fro{.ctas = gpu.sms, .rounds = kRounds, .walk = Walk::alternating};
  const RingPass part{.share = RingShare::part, .ctas = gpu.sms};
  const RingPass write{.operation = Operation::store, .share = RingShare::part, .ctas = gpu.sms};
  RingPass other = part;
  other.first_buffer = 1;
  RingPass copy = part;
  copy.copies_to = 1;
  RingPass slow_copy = copy;
  slow_copy.ctas = std::max<std::int64_t>(gpu.sms / 4, 1);
  std::vector<MicroPattern> patterns;
  add(patterns, "read by all SMs, 4 rounds", shared, std::array{2.0 / 3, 14.0 / 15, 1.0, 16.0 / 15, 4.0 / 3},
      {all});
  add(patterns, "read by all SMs to and fro, 4 rounds", shared, std::array{4.0 / 3, 32.0 / 15}, {to_and_fro});
  add(patterns, "read by one SM, 4 rounds", shared, std::array{14.0 / 15, 4.0 / 3, 32.0 / 15}, {one});
  add(patterns, "streamed by all SMs, read again", capacity,
      std::array{8.0 / 15, 0.6, 2.0 / 3, 11.0 / 15, 0.8, 16.0 / 15}, {part, part});
  add(patterns, "written by all SMs", capacity, std::array{4.0 / 15, 0.8, 16.0 / 15, 32.0 / 15}, {write});
  add(patterns, "written, another streamed, read again", capacity, std::array{4.0 / 15, 0.4, 8.0 / 15},
      {write, other, part});
  add(patterns, "written, read again", capacity, std::array{0.4, 0.5, 0.6, 0.8}, {write, part});
  add(patterns, "written, copied", capacity, std::array{0.4, 7.0 / 15, 0.5, 8.0 / 15, 2.0 / 3},
      {write, copy});
  add(patterns, "written, copied by a quarter of the SMs", capacity, std::array{0.4, 0.5, 2.0 / 3},
      {write, slow_copy});
  return patterns;
}

PatternBytes pattern_bytes(std::vector<double> placements) {
  if (placements.empty()) return {};
  const auto [least, most] = std::minmax_element(placements.begin(), placements.end());
  return {*least, *median(placements), *most};
}

PatternBytes replay_pattern(const MicroPattern& pattern, const GpuSpec& gpu) {
  const auto program = std::make_unique<Program>();
  build_ring_program(std::vector<Bytes>(static_cast<std::size_t>(pattern.buffers()), pattern.bytes),
                     pattern.passes, *program);
  std::vector<double> bytes;
  for (std::uint64_t seed = 0; seed < kMostPlacements; ++seed) {
    HbmTraffic hbm;
    replay(*program, gpu, seed, hbm);
    ReadWrite moved;
    for (const ReadWrite& tensor : hbm.launches[hbm.launches.count() - 1].tensors) {
      moved.read += tensor.read;
      moved.write += tensor.write;
    }
    bytes.push_back(
        static_cast<double>(pattern.writes() ? moved.write - hbm.written_later.value_or(0) : moved.read));
  }
  return pattern_bytes(std::move(bytes));
}

bool PatternRow::is_reproduced() const {
  return distance() == 0 || std::abs(error()) <= kReproduced ||
         std::abs(replayed.median - counted.median) <= kNegligibleBytes;
}

double PatternRow::distance() const {
  if (replayed.least > counted.most) return replayed.least / counted.most - 1;
  if (replayed.most < counted.least) return replayed.most / counted.least - 1;
  return 0;
}

}  // namespace hbmscope
