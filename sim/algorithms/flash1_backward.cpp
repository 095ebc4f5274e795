// FlashAttention backward (Dao et al. 2022, Algorithm 4): K/V outside, Q inside, S and P computed again. dQ
// lives in HBM and is read and rewritten for every K/V block: 7 N d + Tc (5 N d + 2 N) elements.
#include "sim/algorithms/flash1_backward.h"

#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

using namespace build;

// Line 5: dQ = dK = dV = 0 in HBM.
void build_initialise_queries(const Plan& plan, const Gradients& gradients, Launch& launch) {
  launch.name = "initialise dQ";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  store(launch, gradients.d_q, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
}

void build_initialise_keys(const Plan& plan, const Gradients& gradients, Launch& launch) {
  const Problem& problem = plan.problem;
  launch.name = "initialise dK, dV";
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(problem.seqlen_kv, plan.tile.bc)));
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range keys = tile_of(kv_tile, plan.tile.bc, problem.seqlen_kv);
  store(launch, gradients.d_k, kv_plane, keys, whole(problem.head_dim));
  store(launch, gradients.d_v, kv_plane, keys, whole(problem.head_dim_v));
}

// Lines 6 to 24. A block of K and V serves all query heads of its group, so that dK and dV are summed on
// chip.
void build_blocks(const Plan& plan, const Flash1Saved& saved, const Gradients& gradients, Launch& launch) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const auto& [d_o, d_q, d_k, d_v] = gradients;
  launch.name = "flash1 backward";
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, saved.k, kv_plane, keys, columns);
  load(launch, saved.v, kv_plane, keys, value_columns);
  const int head = open_loop(launch, counted("head of the group", problem.group()));
  const Index query_plane = plane({{head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  for (const int tensor : {saved.q, d_q}) load(launch, tensor, query_plane, queries, columns);
  for (const int tensor : {saved.o, d_o}) load(launch, tensor, query_plane, queries, value_columns);
  for (const int tensor : {saved.l, saved.m}) load(launch, tensor, query_plane, queries, whole(1));
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, "P = e^{S − m} / l", queries, keys, 1, 0);
  matmul(launch, "dV = dV + Pᵀ dO", queries, keys, problem.head_dim_v);
  matmul(launch, "dP = dO Vᵀ", queries, keys, problem.head_dim_v);
  elementwise(launch, "dS = P ∘ (dP − rowsum(dO ∘ O))", queries);
  matmul(launch, "dQ = dQ + dS K", queries, keys, problem.head_dim);
  store(launch, d_q, query_plane, queries, columns);
  matmul(launch, "dK = dK + dSᵀ Q", queries, keys, problem.head_dim);
  close_loop(launch, q_tile);
  close_loop(launch, head);
  store(launch, d_k, kv_plane, keys, columns);
  store(launch, d_v, kv_plane, keys, value_columns);
  close_loop(launch, kv_tile);
}

}  // namespace

void build_flash1_backward(const Plan& plan, const Flash1Saved& saved, Program& program) {
  const Gradients gradients = add_gradients(plan.problem, program);
  for (const char* name : {"dP", "dS"}) {
    tensor(program, name, Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  }
  build_initialise_queries(plan, gradients, program.launches.add());
  build_initialise_keys(plan, gradients, program.launches.add());
  build_blocks(plan, saved, gradients, program.launches.add());
}

}  // namespace hbmscope
