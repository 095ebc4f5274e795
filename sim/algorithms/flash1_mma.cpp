#include "sim/algorithms/flash1_mma.h"

#include <algorithm>

#include "sim/algorithms/build.h"
#include "sim/algorithms/mma_limit.h"
#include "sim/kernel_shapes/flash1_mma.h"
#include "sim/kernel_shapes/row_statistics.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

struct Tensors {
  int q, k, v, o;
  int o_fp32, l, m;
};

Tensors add_tensors(const Problem& problem, Program& program) {
  using build::tensor;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const std::int64_t columns = statistics_columns(problem.seqlen_q);
  return {
      .q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", Role::output, query_planes, problem.seqlen_q, problem.head_dim_v, width),
      .o_fp32 =
          tensor(program, "O fp32", Role::workspace, query_planes, problem.seqlen_q, problem.head_dim_v, 4),
      .l = tensor(program, "l", Role::output, query_planes, 1, columns, 4),
      .m = tensor(program, "m", Role::output, query_planes, 1, columns, 4),
  };
}

// The grid: one CTA for each query head and batch.
struct HeadGrid {
  Index query_plane;
  Index key_value_plane;
};

HeadGrid head_grid(Launch& launch, const Problem& problem) {
  using namespace build;
  const int head = launch.loops.push(counted("head", problem.heads));
  const int batch = launch.loops.push(counted("batch", problem.batch));
  launch.grid_loops = 2;
  return {plane({{head, 1}, {batch, problem.heads}}),
          plane({{head, 1}, {batch, problem.heads}}, problem.group())};
}

// Rows of O and the padded columns of l and m that belong to a q tile.
struct QueryTile {
  Range rows;
  Range statistics;
};

QueryTile query_tile(const Plan& plan, int q_tile) {
  return {build::tile_of(q_tile, plan.tile.br, plan.problem.seqlen_q),
          build::tile_of(q_tile, plan.tile.br, statistics_columns(plan.problem.seqlen_q))};
}

// Line 2, for the q tiles that a loop runs over.
void initialise(const Plan& plan, const Tensors& tensors, const HeadGrid& grid, const Loop& q_tiles, int o,
                Launch& launch) {
  using namespace build;
  const int q_tile = open_loop(launch, q_tiles);
  const QueryTile tile = query_tile(plan, q_tile);
  store(launch, tensors.m, grid.query_plane, whole(1), tile.statistics);
  store(launch, tensors.l, grid.query_plane, whole(1), tile.statistics);
  store(launch, o, grid.query_plane, tile.rows, whole(plan.problem.head_dim_v));
  close_loop(launch, q_tile);
}

void describe(const Plan& plan, const Tensors& tensors, Launch& launch, Compute& scores, Compute& softmax,
              Compute& outputs) {
  const Flash1MmaShape shape{mma_tile(plan), static_cast<int>(plan.tile.stages)};
  launch.threads = shape.threads();
  launch.ctas_per_sm = shape.ctas_per_sm();
  launch.shared_bytes = shape.shared_bytes();
  scores.shared.push({"Q", tensors.q, shape.q_read_bytes_per_visit(), 0});
  scores.shared.push({"K", tensors.k, shape.k_read_bytes_per_visit(), 0});
  softmax.exponentials_per_query = shape.rescales_per_visit();
  outputs.shared.push({"V", tensors.v, shape.v_read_bytes_per_visit(), 0});
}

}  // namespace

std::string limit_of_flash1_mma(const Plan& plan) {
  if (plan.problem.mask == Mask::window) return "mask window, the kernel takes full or causal";
  return mma_limit(plan);
}

// K/V tiles descend: every q tile that sees a key sees tile 0, so there its O is complete.
void build_flash1_mma(const Plan& plan, Program& program) {
  using namespace build;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const Tensors tensors = add_tensors(problem, program);
  tensor(program, "S", Role::on_chip, 1, tile.br, tile.bc, 4);
  tensor(program, "P̃", Role::on_chip, 1, tile.br, tile.bc, element_bytes(problem.dtype));
  tensor(program, "m̃", Role::on_chip, 1, tile.br, 1, 4);
  tensor(program, "l̃", Role::on_chip, 1, tile.br, 1, 4);
  Launch& launch = program.launches.add();
  launch.name = "flash1";
  launch.kernel = "flash1_mma";
  add_mma_macros(plan, launch);
  launch.macros.push({"HBMSCOPE_STAGES", tile.stages});
  launch.macros.push({"HBMSCOPE_MASK", static_cast<int>(problem.mask)});
  const HeadGrid grid = head_grid(launch, problem);
  const Range query_columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  // Under a causal mask with more queries than keys, the first q tiles see nothing: their O is complete.
  const std::int64_t unseen_rows = problem.mask == Mask::full ? 0 : problem.seqlen_q - problem.seqlen_kv;
  const std::int64_t unseen = std::max<std::int64_t>(0, unseen_rows) / tile.br;
  initialise(plan, tensors, grid, counted("q tile that sees no key", unseen), tensors.o, launch);
  Loop seeing = counted("q tile", ceil_div(problem.seqlen_q, tile.br));
  seeing.begin = fixed(unseen);
  initialise(plan, tensors, grid, seeing, tensors.o_fp32, launch);

  Loop kv_tiles = counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc));
  kv_tiles.walk = Walk::down;
  const int kv_tile = open_loop(launch, kv_tiles);
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.k, grid.key_value_plane, keys, query_columns, Path::shared_copy);
  load(launch, tensors.v, grid.key_value_plane, keys, value_columns, Path::shared_copy);
  const int q_tile = open_loop(launch, seeing_q_tiles(problem, kv_tile, tile.br, tile.bc));
  const QueryTile queries = query_tile(plan, q_tile);
  load(launch, tensors.q, grid.query_plane, queries.rows, query_columns, Path::shared_copy);
  load(launch, tensors.m, grid.query_plane, whole(1), queries.statistics);
  load(launch, tensors.l, grid.query_plane, whole(1), queries.statistics);
  load(launch, tensors.o_fp32, grid.query_plane, queries.rows, value_columns);
  Compute& scores = matmul(launch, "S = Q Kᵀ", queries.rows, keys, problem.head_dim);
  Compute& merged = softmax(launch, "m̃, P̃, l̃ of S; m, l merged", queries.rows, keys, 1, 1);
  Compute& outputs =
      matmul(launch, "O = (l e^{m − m'} O + e^{m̃ − m'} P̃ V) / l'", queries.rows, keys, problem.head_dim_v);
  store(launch, tensors.m, grid.query_plane, whole(1), queries.statistics);
  store(launch, tensors.l, grid.query_plane, whole(1), queries.statistics);
  const Guard complete{.kind = Guard::Kind::last, .loop = kv_tile};
  const Guard incomplete{.kind = Guard::Kind::not_last, .loop = kv_tile};
  store(launch, tensors.o_fp32, grid.query_plane, queries.rows, value_columns).guard = incomplete;
  store(launch, tensors.o, grid.query_plane, queries.rows, value_columns).guard = complete;
  close_loop(launch, q_tile);
  close_loop(launch, kv_tile);
  if (limit_of_flash1_mma(plan).empty()) describe(plan, tensors, launch, scores, merged, outputs);
}

}  // namespace hbmscope
