#include "sim/algorithms/standard_scores.h"

#include "sim/algorithms/mma_limit.h"
#include "sim/kernel_shapes/standard_mma.h"
#include "sim/units.h"

namespace hbmscope {

ScoreLoops open_scores(const Plan& plan, int q, int k, int s, bool described, Launch& launch) {
  using namespace build;
  const Problem& problem = plan.problem;
  const std::int64_t columns = standard_s_columns(problem.seqlen_kv);
  add_mma_macros(plan, launch);
  launch.macros.push({"HBMSCOPE_STAGES", plan.tile.stages});
  const QueryGrid grid = query_grid(launch, problem, plan.tile.br, false);
  load(launch, q, grid.query_plane, grid.query_rows, whole(problem.head_dim), Path::shared_copy);
  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(columns, plan.tile.bc)));
  const Range keys = tile_of(kv_tile, plan.tile.bc, problem.seqlen_kv);
  load(launch, k, grid.key_value_plane, keys, whole(problem.head_dim), Path::shared_copy);
  Compute& held = elementwise(launch, "keep Q's fragments in registers", grid.query_rows);
  held.guard = {.kind = Guard::Kind::first, .loop = kv_tile};
  Compute& scores = matmul(launch, "S = Q Kᵀ / sqrt(d)", grid.query_rows, keys, problem.head_dim);
  store(launch, s, grid.query_plane, grid.query_rows, tile_of(kv_tile, plan.tile.bc, columns));
  if (described) {
    const StandardQkShape shape{mma_tile(plan), static_cast<int>(plan.tile.stages)};
    launch.threads = shape.threads();
    launch.ctas_per_sm = shape.ctas_per_sm();
    launch.shared_bytes = shape.shared_bytes();
    held.shared.push({"Q", q, shape.held_q_read_bytes(), 0});
    scores.shared.push({"Q", q, shape.q_read_bytes_per_step(), 0});
    scores.shared.push({"K", k, shape.k_read_bytes_per_step(), 0});
  }
  return {grid, kv_tile};
}

}  // namespace hbmscope
