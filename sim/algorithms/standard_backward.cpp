// Standard attention backward in tiles of Br × Bc (Dao et al. 2022, Algorithm 3): five launches, dP and dS
// through HBM beside P. A CTA that sums over queries takes all query heads of its KV head, so that dK and dV
// are written once.
#include "sim/algorithms/build.h"
#include "sim/algorithms/standard.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

using namespace build;

// dK or dV: a K/V tile's rows of scoresᵀ · queries, summed over q tiles and the heads of the group.
void build_sum_over_queries(const Plan& plan, std::string_view name, int scores, int queries_tensor, int sums,
                            Program& program) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const Range columns = whole(program.tensors[sums].columns);
  Launch& launch = program.launches.add();
  launch.name = name;
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  const int head = open_loop(launch, counted("head of the group", problem.group()));
  const Index query_plane = plane({{head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  const int q_tile = open_loop(launch, counted("q tile", ceil_div(problem.seqlen_q, tile.br)));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  load(launch, scores, query_plane, queries, keys);
  load(launch, queries_tensor, query_plane, queries, columns);
  matmul(launch, name, queries, keys, program.tensors[sums].columns);
  close_loop(launch, q_tile);
  close_loop(launch, head);
  store(launch, sums, plane({{kv_head, 1}, {batch, problem.kv_heads}}), keys, columns);
}

void build_d_p(const Plan& plan, const StandardTensors& tensors, Program& program) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const std::int64_t score_columns = program.tensors[tensors.d_p].columns;
  const Range value_columns = whole(problem.head_dim_v);
  Launch& launch = program.launches.add();
  launch.name = "dP = dO Vᵀ";
  const int q_tile = launch.loops.push(counted("q tile", ceil_div(problem.seqlen_q, tile.br)));
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(score_columns, tile.bc)));
  const int head = launch.loops.push(counted("head", problem.heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 4;
  const Index query_plane = plane({{head, 1}, {batch, problem.heads}});
  const Index kv_plane = plane({{head, 1}, {batch, problem.heads}}, problem.group());
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.gradients.d_o, query_plane, queries, value_columns);
  load(launch, tensors.v, kv_plane, keys, value_columns);
  matmul(launch, "dP = dO Vᵀ", queries, keys, problem.head_dim_v);
  store(launch, tensors.d_p, query_plane, queries, tile_of(kv_tile, tile.bc, score_columns));
}

void build_d_s(const Plan& plan, const StandardTensors& tensors, Program& program) {
  const Problem& problem = plan.problem;
  const Range columns = whole(program.tensors[tensors.d_s].columns);
  Launch& launch = program.launches.add();
  launch.name = "dS = P∘(dP − rowsum(P∘dP))";
  const QueryGrid grid = query_grid(launch, problem, plan.tile.br, false);
  load(launch, tensors.p, grid.query_plane, grid.query_rows, columns);
  load(launch, tensors.d_p, grid.query_plane, grid.query_rows, columns);
  elementwise(launch, "dS = P ∘ (dP − rowsum(P ∘ dP))", grid.query_rows);
  store(launch, tensors.d_s, grid.query_plane, grid.query_rows, columns);
}

void build_d_q(const Plan& plan, const StandardTensors& tensors, Program& program) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  Launch& launch = program.launches.add();
  launch.name = "dQ = dS K";
  const QueryGrid grid = query_grid(launch, problem, tile.br, false);
  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.d_s, grid.query_plane, grid.query_rows, keys);
  load(launch, tensors.k, grid.key_value_plane, keys, whole(problem.head_dim));
  matmul(launch, "dQ = dQ + dS K", grid.query_rows, keys, problem.head_dim);
  close_loop(launch, kv_tile);
  store(launch, tensors.gradients.d_q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
}

}  // namespace

void build_standard_backward(const Plan& plan, const StandardTensors& tensors, Program& program) {
  const Gradients& gradients = tensors.gradients;
  build_sum_over_queries(plan, "dV = PᵀdO", tensors.p, gradients.d_o, gradients.d_v, program);
  build_d_p(plan, tensors, program);
  build_d_s(plan, tensors, program);
  build_d_q(plan, tensors, program);
  build_sum_over_queries(plan, "dK = dSᵀQ", tensors.d_s, tensors.q, gradients.d_k, program);
}

}  // namespace hbmscope
