#include "sim/algorithms/mma_limit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

std::string mma_limit(const Plan& plan) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const auto unsupported = [](std::int64_t side) {
    return side > kLargestMmaTile || !mma_tile_side_supported(static_cast<int>(side));
  };
  if (problem.dtype != DataType::bf16 && problem.dtype != DataType::fp16) {
    return fmt::format("dtype {}, the kernel takes bf16 or fp16", to_string(problem.dtype));
  }
  if (problem.head_dim != problem.head_dim_v) {
    return fmt::format("head_dim {} and head_dim_v {} differ", problem.head_dim, problem.head_dim_v);
  }
  if (problem.head_dim > kLargestSize || !mma_head_dim_supported(static_cast<int>(problem.head_dim))) {
    return fmt::format("head_dim {}, the kernel takes {}", problem.head_dim, fmt::join(kMmaHeadDims, ", "));
  }
  if (unsupported(tile.br))
    return fmt::format("br {}, the kernel takes multiples of {} up to {}", tile.br, kMmaStep,
                       kLargestMmaTile);
  if (unsupported(tile.bc))
    return fmt::format("bc {}, the kernel takes multiples of {} up to {}", tile.bc, kMmaStep,
                       kLargestMmaTile);
  if (tile.stages > kLargestMmaStages)
    return fmt::format("{} stages, the kernel takes 1 to {}", tile.stages, kLargestMmaStages);
  return "";
}

void add_mma_macros(const Plan& plan, Launch& launch) {
  launch.macros.push({"HBMSCOPE_BR", plan.tile.br});
  launch.macros.push({"HBMSCOPE_BC", plan.tile.bc});
  launch.macros.push({"HBMSCOPE_HEAD_DIM", plan.problem.head_dim});
  launch.macros.push({"HBMSCOPE_DTYPE_BF16", plan.problem.dtype == DataType::bf16});
}

}  // namespace hbmscope
