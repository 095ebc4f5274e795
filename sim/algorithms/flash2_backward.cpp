// FlashAttention-2 backward: a CTA keeps dK and dV of one K/V block on chip and walks over the q tiles that
// see it, from the last one up; S and P are computed again from LSE. CTAs of other blocks add to the same dQ,
// so that it is gathered by atomic adds.
#include "sim/algorithms/flash2_backward.h"

#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

using namespace build;

struct Tensors {
  Flash2Saved saved;
  Gradients gradients;
  int d_p_sum;         // rowsum(dO ∘ O), laid out as LSE
  int d_q_sums;        // dQ itself where it is gathered in place
  int head_k, head_v;  // dK and dV of every query head; those of the KV heads where a group is one head
};

Tensors add_tensors(const Plan& plan, const Flash2Saved& saved, GatherQueries gather, Program& program) {
  const Problem& problem = plan.problem;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t planes = problem.batch * problem.heads;
  Tensors tensors{};
  tensors.saved = saved;
  tensors.gradients = add_gradients(problem, program);
  const Tensor lse = program.tensors[saved.lse];
  tensors.d_p_sum =
      tensor(program, "dPsum", Role::workspace, lse.planes, lse.rows, lse.columns, lse.element_bytes);
  program.tensors[tensors.d_p_sum].row_stride = lse.row_stride;
  tensors.d_q_sums = gather == GatherQueries::in_place ? tensors.gradients.d_q
                                                       : tensor(program, "dQ sums", Role::workspace, planes,
                                                                problem.seqlen_q, problem.head_dim, 4);
  const bool grouped = problem.group() > 1;
  const auto of_head = [&](std::string_view name, int summed, std::int64_t columns) {
    if (!grouped) return summed;
    return tensor(program, name, Role::workspace, planes, problem.seqlen_kv, columns, width);
  };
  tensors.head_k = of_head("dK of heads", tensors.gradients.d_k, problem.head_dim);
  tensors.head_v = of_head("dV of heads", tensors.gradients.d_v, problem.head_dim_v);
  for (const char* name : {"dP", "dS"}) {
    tensor(program, name, Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  }
  return tensors;
}

// K/V tile, head and batch; the grid of the launches that write rows of dK and dV.
struct KeyGrid {
  int kv_tile;
  int head;
  int batch;
  Index head_plane;  // b · heads + h
  Range key_rows;
};

KeyGrid key_grid(const Plan& plan, std::string_view head_name, std::int64_t heads, Launch& launch) {
  const bool head_fastest = plan.order == Order::head_fastest;
  const Loop kv_tiles = counted("kv tile", ceil_div(plan.problem.seqlen_kv, plan.tile.bc));
  const Loop head_loop = counted(head_name, heads);
  KeyGrid grid{};
  grid.kv_tile = head_fastest ? 1 : 0;
  grid.head = head_fastest ? 0 : 1;
  launch.loops.push(head_fastest ? head_loop : kv_tiles);
  launch.loops.push(head_fastest ? kv_tiles : head_loop);
  grid.batch = launch.loops.push(counted("batch", plan.problem.batch));
  launch.grid_loops = 3;
  grid.head_plane = plane({{grid.head, 1}, {grid.batch, heads}});
  grid.key_rows = tile_of(grid.kv_tile, plan.tile.bc, plan.problem.seqlen_kv);
  return grid;
}

QueryGrid rows_of_queries(const Plan& plan, Launch& launch) {
  return query_grid(launch, plan.problem, plan.tile.br, plan.order == Order::head_fastest);
}

void build_preprocess(const Plan& plan, const Tensors& tensors, Launch& launch) {
  launch.name = "dPsum, clear dQ";
  const QueryGrid grid = rows_of_queries(plan, launch);
  const Range value_columns = whole(plan.problem.head_dim_v);
  load(launch, tensors.saved.o, grid.query_plane, grid.query_rows, value_columns);
  load(launch, tensors.gradients.d_o, grid.query_plane, grid.query_rows, value_columns);
  elementwise(launch, "dPsum = rowsum(dO ∘ O)", grid.query_rows);
  store(launch, tensors.d_p_sum, grid.query_plane, whole(1), grid.query_rows);
  store(launch, tensors.d_q_sums, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
}

void build_blocks(const Plan& plan, const Tensors& tensors, Launch& launch) {
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const Flash2Saved& saved = tensors.saved;
  launch.name = "flash2 backward";
  const KeyGrid grid = key_grid(plan, "head", problem.heads, launch);
  const Range& keys = grid.key_rows;
  const Index kv_plane = plane({{grid.head, 1}, {grid.batch, problem.heads}}, problem.group());
  const Range columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  Loop q_tiles = seeing_q_tiles(problem, grid.kv_tile, tile.br, tile.bc);
  q_tiles.walk = Walk::down;
  const int q_tile = open_loop(launch, q_tiles);
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  Access& keys_loaded = load(launch, saved.k, kv_plane, keys, columns);
  Access& values_loaded = load(launch, saved.v, kv_plane, keys, value_columns);
  for (Access* once : {&keys_loaded, &values_loaded}) {
    once->guard = {.kind = Guard::Kind::first, .loop = q_tile};  // not at all for a block that nobody sees
  }
  load(launch, saved.q, grid.head_plane, queries, columns);
  load(launch, saved.lse, grid.head_plane, whole(1), queries);
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, "P = e^{S − LSE}", queries, keys, 1, 0);
  load(launch, tensors.gradients.d_o, grid.head_plane, queries, value_columns);
  load(launch, tensors.d_p_sum, grid.head_plane, whole(1), queries);
  matmul(launch, "dP = dO Vᵀ", queries, keys, problem.head_dim_v);
  elementwise(launch, "dS = P ∘ (dP − dPsum)", queries);
  matmul(launch, "dV = dV + Pᵀ dO", queries, keys, problem.head_dim_v);
  matmul(launch, "dQ = dQ + dS K", queries, keys, problem.head_dim);
  reduce(launch, tensors.d_q_sums, grid.head_plane, queries, columns);
  matmul(launch, "dK = dK + dSᵀ Q", queries, keys, problem.head_dim);
  close_loop(launch, q_tile);
  store(launch, tensors.head_k, grid.head_plane, keys, columns);
  store(launch, tensors.head_v, grid.head_plane, keys, value_columns);
}

void build_convert(const Plan& plan, const Tensors& tensors, Launch& launch) {
  launch.name = "convert dQ";
  const QueryGrid grid = rows_of_queries(plan, launch);
  const Range columns = whole(plan.problem.head_dim);
  load(launch, tensors.d_q_sums, grid.query_plane, grid.query_rows, columns);
  store(launch, tensors.gradients.d_q, grid.query_plane, grid.query_rows, columns);
}

void build_group_sum(const Plan& plan, std::string_view name, int of_heads, int summed, std::int64_t columns,
                     Launch& launch) {
  const Problem& problem = plan.problem;
  launch.name = name;
  const KeyGrid grid = key_grid(plan, "kv head", problem.kv_heads, launch);
  const int head = open_loop(launch, counted("head of the group", problem.group()));
  load(launch, of_heads, plane({{head, 1}, {grid.head, problem.group()}, {grid.batch, problem.heads}}),
       grid.key_rows, whole(columns));
  close_loop(launch, head);
  store(launch, summed, grid.head_plane, grid.key_rows, whole(columns));
}

}  // namespace

void build_flash2_backward(const Plan& plan, const Flash2Saved& saved, GatherQueries gather,
                           Program& program) {
  const Problem& problem = plan.problem;
  const Tensors tensors = add_tensors(plan, saved, gather, program);
  build_preprocess(plan, tensors, program.launches.add());
  build_blocks(plan, tensors, program.launches.add());
  if (gather == GatherQueries::in_fp32) build_convert(plan, tensors, program.launches.add());
  if (problem.group() > 1) {
    build_group_sum(plan, "sum dK", tensors.head_k, tensors.gradients.d_k, problem.head_dim,
                    program.launches.add());
    build_group_sum(plan, "sum dV", tensors.head_v, tensors.gradients.d_v, problem.head_dim_v,
                    program.launches.add());
  }
}

}  // namespace hbmscope
