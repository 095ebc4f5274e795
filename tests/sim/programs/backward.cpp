#include "sim/algorithms/build.h"
#include "sim/units.h"
#include "tests/sim/programs/programs.h"

namespace hbmscope::test {
namespace {

using namespace build;

struct Tensors {
  ForwardTensors forward;
  int d_o, d_q, d_k, d_v;
  int d_sum, d_q_sum;  // fp32 workspaces
};

Tensors add_tensors(const Problem& problem, Program& program) {
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const std::int64_t rows = problem.seqlen_q;
  Tensors tensors{.forward = add_forward_tensors(problem, program)};
  program.tensors[tensors.forward.o].role = Role::input;
  program.tensors[tensors.forward.lse].role = Role::input;
  tensors.d_o = tensor(program, "dO", Role::input, planes, rows, problem.head_dim_v, width);
  tensors.d_q = tensor(program, "dQ", Role::output, planes, rows, problem.head_dim, width);
  tensors.d_k = tensor(program, "dK", Role::output, kv_planes, problem.seqlen_kv, problem.head_dim, width);
  tensors.d_v = tensor(program, "dV", Role::output, kv_planes, problem.seqlen_kv, problem.head_dim_v, width);
  tensors.d_sum = tensor(program, "dPsum", Role::workspace, planes, rows, 1, 4);
  tensors.d_q_sum = tensor(program, "dQ sums", Role::workspace, planes, rows, problem.head_dim, 4);
  return tensors;
}

void build_preprocess(const Plan& plan, const Tensors& tensors, Launch& launch) {
  launch.name = "dPsum";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  const Range columns = whole(plan.problem.head_dim_v);
  load(launch, tensors.forward.o, grid.query_plane, grid.query_rows, columns);
  load(launch, tensors.d_o, grid.query_plane, grid.query_rows, columns);
  elementwise(launch, "dPsum = rowsum(dO ∘ O)", grid.query_rows);
  store(launch, tensors.d_sum, grid.query_plane, grid.query_rows, whole(1));
  store(launch, tensors.d_q_sum, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
}

void build_blocks(const Plan& plan, const Tensors& tensors, Launch& launch) {
  const auto& [problem, tile, order, walk] = plan;
  launch.name = "backward";
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const int kv_head = launch.loops.push(counted("kv head", problem.kv_heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 3;
  const Index kv_plane = plane({{kv_head, 1}, {batch, problem.kv_heads}});
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  const Range columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);
  load(launch, tensors.forward.k, kv_plane, keys, columns);
  load(launch, tensors.forward.v, kv_plane, keys, value_columns);

  const int head = open_loop(launch, counted("head of the group", problem.group()));
  const Index query_plane = plane({{head, 1}, {kv_head, problem.group()}, {batch, problem.heads}});
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  load(launch, tensors.forward.q, query_plane, queries, columns);
  load(launch, tensors.forward.lse, query_plane, queries, whole(1));
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, "P = exp(S − LSE)", queries, keys, 1, 0);
  load(launch, tensors.d_o, query_plane, queries, value_columns);
  load(launch, tensors.d_sum, query_plane, queries, whole(1));
  matmul(launch, "dP = dO Vᵀ", queries, keys, problem.head_dim_v);
  matmul(launch, "dV = dV + Pᵀ dO", queries, keys, problem.head_dim_v);
  matmul(launch, "dK = dK + dSᵀ Q", queries, keys, problem.head_dim);
  matmul(launch, "dQ = dQ + dS K", queries, keys, problem.head_dim);
  reduce(launch, tensors.d_q_sum, query_plane, queries, columns);
  close_loop(launch, q_tile);
  close_loop(launch, head);
  store(launch, tensors.d_k, kv_plane, keys, columns);
  store(launch, tensors.d_v, kv_plane, keys, value_columns);
}

void build_convert(const Plan& plan, const Tensors& tensors, Launch& launch) {
  launch.name = "convert dQ";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  load(launch, tensors.d_q_sum, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
  store(launch, tensors.d_q, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim));
}

}  // namespace

void build_flash2_backward(const Plan& plan, BuiltProgram& built) {
  built.program.algorithm = "flash2 backward";
  built.program.problem = plan.problem;
  const Tensors tensors = add_tensors(plan.problem, built.program);
  build_preprocess(plan, tensors, built.program.launches.add());
  build_blocks(plan, tensors, built.program.launches.add());
  build_convert(plan, tensors, built.program.launches.add());
}

}  // namespace hbmscope::test
