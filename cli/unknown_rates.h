#pragma once

#include <span>
#include <string>

#include "sim/gpu.h"

namespace hbmscope {

// "left out of the times: l2 on h100-sxm; tensor on t4 (bf16): the rate is not known", a line; "" if every
// rate of these GPUs is known for these types. Without it a GPU whose rates nobody has published passes for a
// fast one.
std::string unknown_rates(std::span<const GpuSpec> gpus, std::span<const DataType> dtypes);

}  // namespace hbmscope
