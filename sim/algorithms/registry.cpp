#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"
#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

extern const Algorithm kStandard;
extern const Algorithm kFlash1;
extern const Algorithm kFlash2;

namespace {

const std::array<const Algorithm*, 3> kAlgorithms{&kStandard, &kFlash1, &kFlash2};

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm& find_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name == name) return *algorithm;
    names.push_back(algorithm->name);
  }
  throw UserError("--algorithm", std::string(name),
                  fmt::format("expected one of {}", fmt::join(names, ", ")));
}

const Variant& find_variant(const Algorithm& algorithm, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Variant& variant : algorithm.variants) {
    if (variant.name == name) return variant;
    names.push_back(variant.name);
  }
  throw UserError("--variant", std::string(name),
                  fmt::format("expected one of {} (of {})", fmt::join(names, ", "), algorithm.name));
}

void build_program(const Algorithm& algorithm, const Variant& variant, const Plan& plan, Program& program) {
  program.algorithm = algorithm.name;
  program.problem = plan.problem;
  program.tensors.clear();
  program.tables.clear();
  program.launches.clear();
  variant.build(plan, program);
}

std::string mma_limit(const Plan& plan) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const auto unsupported = [](std::int64_t side) {
    return side > kLargestMmaTile || !mma_tile_side_supported(static_cast<int>(side));
  };
  if (problem.direction != Direction::forward) return "no backward kernel: direction is forward";
  if (problem.dtype != DataType::bf16 && problem.dtype != DataType::fp16) {
    return fmt::format("dtype {}, the kernel takes bf16 or fp16", to_string(problem.dtype));
  }
  if (problem.head_dim != problem.head_dim_v) {
    return fmt::format("head_dim {} and head_dim_v {} differ", problem.head_dim, problem.head_dim_v);
  }
  if (problem.head_dim > kLargestSize || !mma_head_dim_supported(static_cast<int>(problem.head_dim))) {
    return fmt::format("head_dim {}, the kernel takes 64 or 128", problem.head_dim);
  }
  if (problem.mask == Mask::window) return "mask window, the kernel takes full or causal";
  if (problem.page_size != 0) return "paged K/V, the kernel takes contiguous tensors";
  if (unsupported(tile.br))
    return fmt::format("br {}, the kernel takes multiples of {} up to {}", tile.br, kMmaStep,
                       kLargestMmaTile);
  if (unsupported(tile.bc))
    return fmt::format("bc {}, the kernel takes multiples of {} up to {}", tile.bc, kMmaStep,
                       kLargestMmaTile);
  if (tile.stages > kLargestMmaStages)
    return fmt::format("{} stages, the kernel takes 1 to {}", tile.stages, kLargestMmaStages);
  if (tile.splits != 1) return fmt::format("{} splits, the kernel takes 1", tile.splits);
  if (plan.order != Order::q_fastest) return "order head-fastest, the kernel runs q-fastest";
  return "";
}

}  // namespace hbmscope
