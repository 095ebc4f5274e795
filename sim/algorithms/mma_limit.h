#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"

namespace hbmscope {

// Why the kernels that share the mma.sync tiles cannot run a plan whatever the GPU; "" if they can.
std::string mma_limit(const Plan& plan);

}  // namespace hbmscope
