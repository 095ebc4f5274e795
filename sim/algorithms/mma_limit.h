#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"

namespace hbmscope {

// Why the kernels that share the mma.sync tiles cannot run a plan whatever the GPU; "" if they can.
std::string mma_limit(const Plan& plan);

// The macros that those kernels have in common: tile, head dim and type.
void add_mma_macros(const Plan& plan, Launch& launch);

}  // namespace hbmscope
