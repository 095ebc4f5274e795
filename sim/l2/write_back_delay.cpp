#include "sim/l2/write_back_delay.h"

#include <algorithm>

#include "sim/l2/cta_slots.h"
#include "sim/l2/launch_bytes.h"

namespace hbmscope {
namespace {

bool has(const Launch& launch, ComputeKind kind) {
  return std::any_of(launch.computes.begin(), launch.computes.end(),
                     [kind](const Compute& each) { return each.kind == kind; });
}

// What DRAM would be asked for by the launch alone, with a cache that holds everything, in seconds.
double hbm_seconds(const Program& program, const LaunchTraffic& moved, const GpuSpec& gpu) {
  double bytes = 0;
  for (int number = 0; number < program.tensors.count(); ++number) {
    const Tensor& tensor = program.tensors[number];
    const double size = static_cast<double>(tensor.planes) * static_cast<double>(tensor.rows) *
                        static_cast<double>(tensor.columns) * static_cast<double>(tensor.element_bytes);
    const ReadWrite& l2 = moved.tensors[number].l2;
    bytes += std::min(static_cast<double>(l2.read), size) + std::min(static_cast<double>(l2.write), size);
  }
  return bytes / gpu.hbm_bytes_per_s.value;
}

// The roofline of the launch alone. A kernel that does products and exponentials by turns is taken
// to wait for those, wherever the roofline puts it, and our kernels for each tile.
bool waits_for_hbm(const Program& program, const LaunchTraffic& moved, const Launch& launch,
                   const GpuSpec& gpu) {
  if (moved.executed_flops == 0) return true;
  const std::optional<double> tensor_rate = gpu.tensor_flops_per_s(program.problem.dtype);
  if (has(launch, ComputeKind::softmax) || !launch.kernel.empty() || !tensor_rate) return false;
  return static_cast<double>(moved.executed_flops) / *tensor_rate < hbm_seconds(program, moved, gpu);
}

// Products on few SMs leave DRAM idle.
bool write_backs_queue(const Program& program, const LaunchTraffic& moved, const Launch& launch,
                       const GpuSpec& gpu) {
  return moved.executed_flops == 0 || resident_ctas(launch, program, gpu) >= gpu.sms;
}

}  // namespace

// Where SMs store as fast as they can, as much as counters see under way (under_way_bytes) is stored while a
// line is written back, and loaded besides what the launch loads for each byte that it stores. Where they
// only load, as much is loaded; few SMs move fewer bytes meanwhile.
Bytes write_back_delay(const Program& program, const Traffic& traffic, int number, const GpuSpec& gpu,
                       const L2Geometry& geometry) {
  const Launch& launch = program.launches[number];
  const LaunchTraffic& moved = traffic.launches[number];
  if (!waits_for_hbm(program, moved, launch, gpu) || !write_backs_queue(program, moved, launch, gpu))
    return 0;
  const double busy = static_cast<double>(resident_ctas(launch, program, gpu)) / static_cast<double>(gpu.sms);
  const double under_way = std::min(busy, 1.0) * static_cast<double>(geometry.under_way_bytes);
  const ReadWrite l2 = l2_bytes(moved);
  if (!keeps_storing(l2)) return static_cast<Bytes>(under_way);
  const double bytes_per_stored = 1 + static_cast<double>(l2.read) / static_cast<double>(l2.write);
  return static_cast<Bytes>(under_way * bytes_per_stored);
}

}  // namespace hbmscope
