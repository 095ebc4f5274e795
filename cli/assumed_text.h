#pragma once

#include <span>
#include <string>

#include "cli/point_list.h"
#include "sim/gpu.h"

namespace hbmscope {

// What a replay of these GPUs takes from the H200, or guesses, because nobody has measured it there; a line
// for GPUs that lack the same, "" if none lacks anything. Without it a replay of a GPU that nobody has
// calibrated passes for as good as one of the H200.
std::string assumed_text(std::span<const GpuSpec> gpus);

// Of the points' GPUs; "" where no point is replayed.
std::string assumed_text(const PointList& points);

}  // namespace hbmscope
