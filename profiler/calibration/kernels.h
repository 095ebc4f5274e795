#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sources.h"
#include "sim/problem.h"
#include "sim/tile.h"

namespace hbmscope {

// The micro-kernels that measure a GPU, compiled at run time as those of attention are: device/*.cu, and what
// they share with kernels/device/.
std::span<const EmbeddedFile> calibration_files();

// A file of device/ with several entry points: "lines", "sets", "rows", "set_uses", "sm_order", "rates".
KernelBuild calibration_build(std::string_view file);
// An attention kernel with timestamps: device/<algorithm>_trace.cu in one tile.
struct TracedKernel {
  std::string algorithm;
  std::string kernel;  // as launches name it
  int br = 0;
  int bc = 0;
  int head_dim = 0;
  int threads = 0;
  int shared_bytes = 0;
  int ctas_per_sm = 0;
  // What else it is compiled for.
  Mask mask = Mask::full;
  Order order = Order::q_fastest;
  Walk kv_walk = Walk::up;
};
KernelBuild cta_trace_build(const TracedKernel& traced);

// In tiles of 64 and 128 rows where an SM holds several CTAs: flash2, every build of it with 64 and 128 keys,
// and flash1 at every head dim, the last launch of standard and of standard-online at 64 and 128. Builds of a
// tile follow one another.
std::vector<TracedKernel> traced_kernels();

// All of them.
std::vector<KernelBuild> calibration_builds();

}  // namespace hbmscope
