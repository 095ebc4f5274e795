// FlashAttention backward (Dao et al. 2022, Algorithm 4): K/V outside, Q inside, S and P computed again. dQ
// lives in HBM and is read and rewritten for every K/V block: with O, dO, l and m as rows,
// 7 N d + Tc (5 N d + 2 N) elements.
#include "sim/algorithms/build.h"
#include "sim/algorithms/flash1.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

using namespace build;

// Line 5: dQ = dK = dV = 0 in HBM.
void build_initialise_queries(const Plan& plan, int d_q, Launch& launch) {
  launch.name = "initialise dQ";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  store(launch, d_q, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
}

void build_initialise_keys(const Plan& plan, const Flash1Backward& backward, Launch& launch) {
  const Problem& problem = plan.problem;
  launch.name = "initialise dK, dV";
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(problem.seqlen_kv, plan.tile.bc)));
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range keys = tile_of(kv_tile, plan.tile.bc, problem.seqlen_kv);
  store(launch, backward.d_k, kv_plane, keys, whole(problem.head_dim));
  store(launch, backward.d_v, kv_plane, keys, whole(problem.head_dim_v));
}

// Lines 6 to 24. A block of K and V serves all query heads of its group, so that dK and dV are summed on
// chip.
void build_blocks(const Plan& plan, const Program& program, const Flash1Backward& backward, Launch& launch) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  launch.name = "flash1 backward";
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, backward.operands.k, kv_plane, keys, columns);
  load(launch, backward.operands.v, kv_plane, keys, value_columns);
  const int head = open_loop(launch, counted("head of the group", problem.group()));
  const Index query_plane = plane({{head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  load(launch, backward.operands.q, query_plane, queries, columns);
  load(launch, backward.d_q, query_plane, queries, columns);
  for (const int tensor : backward.rows) {
    load(launch, tensor, query_plane, queries, whole(program.tensors[tensor].columns));
  }
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, backward.softmax, queries, keys, 1, 0);
  matmul(launch, "dV = dV + Pᵀ dO", queries, keys, problem.head_dim_v);
  matmul(launch, "dP = dO Vᵀ", queries, keys, problem.head_dim_v);
  elementwise(launch, backward.d_s, queries);
  matmul(launch, "dQ = dQ + dS K", queries, keys, problem.head_dim);
  store(launch, backward.d_q, query_plane, queries, columns);
  matmul(launch, "dK = dK + dSᵀ Q", queries, keys, problem.head_dim);
  close_loop(launch, q_tile);
  close_loop(launch, head);
  store(launch, backward.d_k, kv_plane, keys, columns);
  store(launch, backward.d_v, kv_plane, keys, value_columns);
  close_loop(launch, kv_tile);
}

}  // namespace

void build_flash1_backward(const Plan& plan, const Flash1Backward& backward, Program& program) {
  for (const char* name : {"dP", "dS"}) {
    tensor(program, name, Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  }
  build_initialise_queries(plan, backward.d_q, program.launches.add());
  build_initialise_keys(plan, backward, program.launches.add());
  build_blocks(plan, program, backward, program.launches.add());
}

}  // namespace hbmscope
