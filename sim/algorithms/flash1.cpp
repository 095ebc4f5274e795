// FlashAttention (Dao et al. 2022, Algorithm 1): K/V outside, Q inside. O, l and m live in HBM and are read
// and rewritten for every K/V block: the paper's six tensors are Q, K, V, O, l and m.
#include "sim/algorithms/flash1.h"

#include <array>

#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/flash1_mma.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

// Line 2: O = 0, l = 0, m = −inf in HBM.
void build_initialise(const Plan& plan, const Flash1Forward& forward, Launch& launch) {
  using namespace build;
  launch.name = "initialise";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  store(launch, forward.operands.o, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim_v));
  for (const int sums : forward.row_sums) store(launch, sums, grid.query_plane, grid.query_rows, whole(1));
}

// Lines 5 to 15.
void build_blocks(const Plan& plan, const Flash1Forward& forward, Launch& launch) {
  using namespace build;
  const auto& [q, k, v, o] = forward.operands;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  launch.name = "flash1";
  const int head = launch.loops.push(counted("head", problem.heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  const Index query_plane = plane({{head, 1}, {batch, problem.heads}});
  const Index kv_plane = plane({{head, 1}, {batch, problem.heads}}, problem.group());
  const Range query_columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, k, kv_plane, keys, query_columns);
  load(launch, v, kv_plane, keys, value_columns);
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  load(launch, q, query_plane, queries, query_columns);
  load(launch, o, query_plane, queries, value_columns);
  for (const int sums : forward.row_sums) load(launch, sums, query_plane, queries, whole(1));
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, forward.softmax, queries, keys, 1, 2);
  matmul(launch, forward.output, queries, keys, problem.head_dim_v);
  store(launch, o, query_plane, queries, value_columns);
  for (const int sums : forward.row_sums) store(launch, sums, query_plane, queries, whole(1));
  close_loop(launch, q_tile);
  close_loop(launch, kv_tile);
}

void build_paper(const Plan& plan, Program& program) {
  const Problem& problem = plan.problem;
  const Flash1Operands operands = add_flash1_operands(plan, program);
  const auto row_sums = [&](std::string_view name) {
    return build::tensor(program, name, saved_role(problem, Role::output), problem.batch * problem.heads,
                         problem.seqlen_q, 1, element_bytes(problem.dtype));
  };
  const int l = row_sums("l");
  const int m = row_sums("m");
  if (runs_forward(problem)) {
    build_flash1_forward(plan,
                         {.operands = operands,
                          .row_sums = {l, m},
                          .softmax = "m̃, P̃, l̃ of S; m, l merged",
                          .output = "O = (l e^{m − m'} O + e^{m̃ − m'} P̃ V) / l'"},
                         program);
  }
  if (runs_backward(problem)) {
    const auto& [d_o, d_q, d_k, d_v] = add_gradients(problem, program);
    build_flash1_backward(plan,
                          {.operands = operands,
                           .d_q = d_q,
                           .d_k = d_k,
                           .d_v = d_v,
                           .rows = {operands.o, d_o, l, m},
                           .softmax = "P = e^{S − m} / l",
                           .d_s = "dS = P ∘ (dP − rowsum(dO ∘ O))"},
                          program);
  }
}

const std::array<Variant, 3> kVariants{{
    {"mma", "cp.async copies and mma.sync tensor cores, sm_80 and up; O, l and m in fp32", true,
     build_flash1_mma, limit_of_flash1_mma},
    {"paper",
     "the paper's count: every element of the problem's size, no kernel",
     false,
     build_paper,
     nullptr,
     {.backward = true}},
    {"autograd",
     "as a framework's autograd ran it in 2022: sums in fp32, gradients added to those of the step before; "
     "no "
     "kernel",
     false,
     build_flash1_autograd,
     nullptr,
     {.backward = true}},
}};

}  // namespace

Flash1Operands add_flash1_operands(const Plan& plan, Program& program) {
  using build::tensor;
  const Problem& problem = plan.problem;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  for (const char* name : {"S", "P̃"}) {
    tensor(program, name, Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  }
  for (const char* name : {"m̃", "l̃"}) tensor(program, name, Role::on_chip, 1, plan.tile.br, 1, 4);
  return {
      .q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", saved_role(problem, Role::output), query_planes, problem.seqlen_q,
                  problem.head_dim_v, width),
  };
}

void build_flash1_forward(const Plan& plan, const Flash1Forward& forward, Program& program) {
  build_initialise(plan, forward, program.launches.add());
  build_blocks(plan, forward, program.launches.add());
}

extern const Algorithm kFlash1;
const Algorithm kFlash1{
    "flash1", "tiled, K/V outside: O and each row's sums go through HBM for every K/V block", kVariants};

}  // namespace hbmscope
