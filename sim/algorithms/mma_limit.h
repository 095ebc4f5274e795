#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"
#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// Why the kernels that share the mma.sync tiles cannot run a plan whatever the GPU; "" if they can.
std::string mma_limit(const Plan& plan);

// The macros that those kernels have in common: tile, head dim and type.
void add_mma_macros(const Plan& plan, Launch& launch);

// The tile of a plan that mma_limit lets through.
inline MmaTile mma_tile(const Plan& plan) {
  return {static_cast<int>(plan.tile.br), static_cast<int>(plan.tile.bc),
          static_cast<int>(plan.problem.head_dim)};
}

}  // namespace hbmscope
