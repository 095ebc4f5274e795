#include "sim/l2/stream_queues.h"

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

double seconds(const std::optional<SourcedValue>& clocks, const GpuSpec& gpu) {
  return clocks ? clocks->value / gpu.clock_hz.value : 0;
}

}  // namespace

// The L2's rate is that of all SMs; each has its part of it. What is stored waits for what was loaded; who
// only loads asks for the next bytes before the last ones are there.
std::optional<StreamQueues> stream_queues(const Program& program, const Traffic& traffic, int number,
                                          const GpuSpec& gpu) {
  const Launch& launch = program.launches[number];
  const LaunchTraffic& moved = traffic.launches[number];
  if (moved.executed_flops != 0 || !keeps_up_with_memory(launch) || !gpu.l2_bytes_per_s) return std::nullopt;
  const double busy = static_cast<double>(resident_ctas(launch, program, gpu)) / static_cast<double>(gpu.sms);
  const ReadWrite bytes = l2_bytes(moved);
  const bool stores = bytes.write > 0;
  return StreamQueues{.l2_bytes_per_s = std::min(busy, 1.0) * gpu.l2_bytes_per_s->value,
                      .hbm_bytes_per_s = hbm_bytes_per_s(gpu, keeps_storing(bytes)),
                      .l2_latency_s = stores ? seconds(gpu.measured.l2_latency_clocks, gpu) : 0,
                      .hbm_latency_s = stores ? seconds(gpu.measured.hbm_latency_clocks, gpu) : 0};
}

}  // namespace hbmscope
