#pragma once

#include <string_view>

#include "sim/gpu.h"

namespace hbmscope {

// A GPU by name or file (load_gpu), or for "auto" the description of the installed one. Throws UserError
// (--gpu) for what does not exist, and for "auto" without a GPU or with one that nobody has described.
GpuSpec choose_gpu(std::string_view name);

// Whether `gpu` describes the GPU that a driver calls `driver_name`.
bool describes(const GpuSpec& gpu, std::string_view driver_name);

}  // namespace hbmscope
