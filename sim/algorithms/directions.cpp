#include "sim/algorithms/directions.h"

#include "sim/algorithms/build.h"

namespace hbmscope {

Gradients add_gradients(const Problem& problem, Program& program) {
  using build::tensor;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  return {
      .d_o = tensor(program, "dO", Role::input, query_planes, problem.seqlen_q, problem.head_dim_v, width),
      .d_q = tensor(program, "dQ", Role::output, query_planes, problem.seqlen_q, problem.head_dim, width),
      .d_k = tensor(program, "dK", Role::output, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .d_v = tensor(program, "dV", Role::output, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
  };
}

}  // namespace hbmscope
