#pragma once

#include <cstdint>
#include <memory>

#include "sim/algorithms/algorithm.h"
#include "sim/gpu.h"
#include "sim/program.h"

namespace hbmscope {

// Our flash2 in its usual tile, without a mask.
inline std::unique_ptr<Program> flash2(std::int64_t heads, std::int64_t seqlen) {
  auto program = std::make_unique<Program>();
  Plan plan;
  plan.problem.heads = plan.problem.kv_heads = heads;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = seqlen;
  const Algorithm& algorithm = find_algorithm("flash2");
  build_program(algorithm, find_variant(algorithm, "mma"), plan, *program);
  return program;
}

// All SMs go at the same rate.
inline void share_alike(GpuSpec& gpu) {
  gpu.shared_step_deviation->value = 0;
  gpu.lone_sm_deviation->value = 0;
  gpu.gpc_clock_deviation->value = 0;
}

}  // namespace hbmscope
