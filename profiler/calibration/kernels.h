#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/sources.h"

namespace hbmscope {

// The micro-kernels that measure a GPU, compiled at run time as those of attention are: device/*.cu, and what
// they share with kernels/device/.
std::span<const EmbeddedFile> calibration_files();

// A file of device/ with several entry points: "lines", "sets", "sm_order", "rates".
KernelBuild calibration_build(std::string_view file);
// flash2 with timestamps, with the tile that is its default.
KernelBuild cta_trace_build(int head_dim);
inline constexpr int kTracedHeadDims[] = {64, 128};
struct TracedTile {
  int br = 128;
  int bc = 64;
  int stages = 1;
};
inline constexpr TracedTile kTracedTile;

// All of them.
std::vector<KernelBuild> calibration_builds();

}  // namespace hbmscope
