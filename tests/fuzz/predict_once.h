#pragma once

#include "sim/gpu.h"

namespace hbmscope::fuzz {

// Predicts a usual point on this GPU, which must take some time that is finite.
void predict_once(const GpuSpec& gpu);

}  // namespace hbmscope::fuzz
