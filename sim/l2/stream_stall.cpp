#include "sim/l2/stream_stall.h"

#include <algorithm>

#include "sim/l2/cta_slots.h"
#include "sim/l2/launch_bytes.h"

namespace hbmscope {
namespace {

// Of loads and stores together, where there are stores: DRAM loses time whenever it turns round.
double hbm_bytes_per_s(const GpuSpec& gpu, bool stores) {
  const std::optional<SourcedValue>& measured = stores && gpu.measured.hbm_copy_bytes_per_s
                                                    ? gpu.measured.hbm_copy_bytes_per_s
                                                    : gpu.hbm_bytes_per_s_measured;
  return measured.value_or(gpu.hbm_bytes_per_s).value;
}

// Our softmax does: where nothing is found in the L2 it takes as long as a copy (bench/recorded/h200.csv).
// Those of others, which no kernel of ours runs, are not known to.
bool keeps_up_with_memory(const Launch& launch) { return launch.computes.empty() || !launch.kernel.empty(); }

}  // namespace

double stream_stall(const Program& program, const Traffic& traffic, int number, const GpuSpec& gpu) {
  const Launch& launch = program.launches[number];
  const LaunchTraffic& moved = traffic.launches[number];
  if (moved.executed_flops != 0 || !keeps_up_with_memory(launch) || !gpu.l2_bytes_per_s) return 0;
  const ReadWrite bytes = l2_bytes(moved);
  if (bytes.read == 0) return 0;
  const double busy = static_cast<double>(resident_ctas(launch, program, gpu)) / static_cast<double>(gpu.sms);
  const double l2 = std::min(busy, 1.0) * gpu.l2_bytes_per_s->value;
  const double moved_per_loaded = 1 + static_cast<double>(bytes.write) / static_cast<double>(bytes.read);
  return std::max(0.0, moved_per_loaded * (l2 / hbm_bytes_per_s(gpu, keeps_storing(bytes)) - 1));
}

}  // namespace hbmscope
