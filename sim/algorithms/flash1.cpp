// FlashAttention (Dao et al. 2022, Algorithm 1): K/V outside, Q inside. O, l and m live in HBM and are read
// and rewritten for every K/V block: its six tensors are Q, K, V, O, l and m.
#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/flash1_backward.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

Flash1Saved add_tensors(const Problem& problem, Program& program) {
  using build::tensor;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const Role saved = saved_role(problem, Role::output);
  return {
      .q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", saved, query_planes, problem.seqlen_q, problem.head_dim_v, width),
      .l = tensor(program, "l", saved, query_planes, problem.seqlen_q, 1, width),
      .m = tensor(program, "m", saved, query_planes, problem.seqlen_q, 1, width),
  };
}

// Line 2: O = 0, l = 0, m = −inf in HBM.
void build_initialise(const Plan& plan, const Flash1Saved& tensors, Launch& launch) {
  using namespace build;
  launch.name = "initialise";
  const QueryGrid grid = query_grid(launch, plan.problem, plan.tile.br, false);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(plan.problem.head_dim_v));
  store(launch, tensors.l, grid.query_plane, grid.query_rows, whole(1));
  store(launch, tensors.m, grid.query_plane, grid.query_rows, whole(1));
}

// Lines 5 to 15.
void build_blocks(const Plan& plan, const Flash1Saved& tensors, Launch& launch) {
  using namespace build;
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
  load(launch, tensors.k, kv_plane, keys, query_columns);
  load(launch, tensors.v, kv_plane, keys, value_columns);
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const Range queries = tile_of(q_tile, tile.br, problem.seqlen_q);
  load(launch, tensors.q, query_plane, queries, query_columns);
  load(launch, tensors.o, query_plane, queries, value_columns);
  load(launch, tensors.l, query_plane, queries, whole(1));
  load(launch, tensors.m, query_plane, queries, whole(1));
  matmul(launch, "S = Q Kᵀ", queries, keys, problem.head_dim);
  softmax(launch, "m̃, P̃, l̃ of S; m, l merged", queries, keys, 1, 2);
  matmul(launch, "O = (l e^{m − m'} O + e^{m̃ − m'} P̃ V) / l'", queries, keys, problem.head_dim_v);
  store(launch, tensors.o, query_plane, queries, value_columns);
  store(launch, tensors.l, query_plane, queries, whole(1));
  store(launch, tensors.m, query_plane, queries, whole(1));
  close_loop(launch, q_tile);
  close_loop(launch, kv_tile);
}

void build_paper(const Plan& plan, Program& program) {
  const Flash1Saved tensors = add_tensors(plan.problem, program);
  using build::tensor;
  tensor(program, "S", Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  tensor(program, "P̃", Role::on_chip, 1, plan.tile.br, plan.tile.bc, 4);
  tensor(program, "m̃", Role::on_chip, 1, plan.tile.br, 1, 4);
  tensor(program, "l̃", Role::on_chip, 1, plan.tile.br, 1, 4);
  if (runs_forward(plan.problem)) {
    build_initialise(plan, tensors, program.launches.add());
    build_blocks(plan, tensors, program.launches.add());
  }
  if (runs_backward(plan.problem)) build_flash1_backward(plan, tensors, program);
}

const std::array<Variant, 1> kVariants{{
    {"paper",
     "the paper's count: every element of the problem's size, no kernel",
     false,
     build_paper,
     nullptr,
     {.backward = true}},
}};

}  // namespace

extern const Algorithm kFlash1;
const Algorithm kFlash1{"flash1", "tiled, K/V outside: O, l and m go through HBM for every K/V block",
                        kVariants};

}  // namespace hbmscope
