#pragma once

#include <string>
#include <string_view>

#include "sim/gpu.h"

namespace hbmscope {

// A GPU's description as parse_gpu() reads it, which gives the same GPU again. The lines of `comment` stand
// above it.
std::string gpu_toml(const GpuSpec& gpu, std::string_view comment = "");

}  // namespace hbmscope
