#include "sim/algorithms/standard_online_mma.h"

#include "sim/algorithms/build.h"
#include "sim/algorithms/mma_limit.h"
#include "sim/algorithms/standard_scores.h"
#include "sim/kernel_shapes/row_statistics.h"
#include "sim/kernel_shapes/standard_online_mma.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

// m and l of planes × kv tiles × queries, in fp32.
struct Tensors {
  int q, k, v, o;
  int s, m, l;
};

std::int64_t kv_tile_count(const Plan& plan) { return ceil_div(plan.problem.seqlen_kv, plan.tile.bc); }

Tensors add_tensors(const Plan& plan, Program& program) {
  using build::tensor;
  const Problem& problem = plan.problem;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const std::int64_t tiles = kv_tile_count(plan);
  const std::int64_t columns = statistics_columns(problem.seqlen_q);
  return {
      .q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", Role::output, query_planes, problem.seqlen_q, problem.head_dim_v, width),
      .s = tensor(program, "S", Role::workspace, query_planes, problem.seqlen_q,
                  standard_s_columns(problem.seqlen_kv), width),
      .m = tensor(program, "m", Role::workspace, query_planes, tiles, columns, 4),
      .l = tensor(program, "l", Role::workspace, query_planes, tiles, columns, 4),
  };
}

void add_mask_macro(const Plan& plan, Launch& launch) {
  launch.macros.push({"HBMSCOPE_MASK", static_cast<int>(plan.problem.mask)});
}

void build_scores(const Plan& plan, const Tensors& tensors, bool described, Launch& launch) {
  using namespace build;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  launch.name = "S = QKᵀ, m, l";
  launch.kernel = "standard_online_qk";
  const auto [grid, kv_tile] = open_scores(plan, tensors.q, tensors.k, tensors.s, described, launch);
  add_mask_macro(plan, launch);
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  Compute& statistics = softmax(launch, "m, l of the tile's rows", grid.query_rows, keys, 1, 1);
  const Range statistics_row = tile_of(kv_tile, 1, kv_tile_count(plan));
  const Range columns = tile_of(grid.q_tile, tile.br, statistics_columns(problem.seqlen_q));
  for (const int tensor : {tensors.m, tensors.l}) {
    store(launch, tensor, grid.query_plane, statistics_row, columns);
  }
  close_loop(launch, kv_tile);
  if (!described) return;
  const StandardOnlineQkShape shape{{mma_tile(plan), static_cast<int>(tile.stages)}};
  launch.ctas_per_sm = shape.ctas_per_sm();
  statistics.exponentials_per_query = shape.rescales_per_row();
}

void build_output(const Plan& plan, const Tensors& tensors, bool described, Launch& launch) {
  using namespace build;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  launch.name = "O = softmax(S) V";
  launch.kernel = "standard_online_pv";
  add_mma_macros(plan, launch);
  launch.macros.push({"HBMSCOPE_STAGES", tile.stages});
  add_mask_macro(plan, launch);
  const QueryGrid grid = query_grid(launch, problem, tile.br, false);
  const Range statistics = tile_of(grid.q_tile, tile.br, statistics_columns(problem.seqlen_q));
  for (const int tensor : {tensors.m, tensors.l}) {
    load(launch, tensor, grid.query_plane, whole(kv_tile_count(plan)), statistics);
  }
  // Two factors to merge each tile, one to merge the 4 lanes of a row.
  Compute& merge = elementwise(launch, "m, l of the whole rows", grid.query_rows);
  merge.exponentials_per_query = 2 * kv_tile_count(plan) + 4;
  const int kv_tile = open_loop(launch, counted("kv tile", kv_tile_count(plan)));
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.s, grid.query_plane, grid.query_rows,
       tile_of(kv_tile, tile.bc, standard_s_columns(problem.seqlen_kv)), Path::shared_copy);
  load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v), Path::shared_copy);
  Compute& weights = softmax(launch, "P = e^{S − m}", grid.query_rows, keys, 1, 0);
  Compute& outputs = matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
  close_loop(launch, kv_tile);
  elementwise(launch, "O = O / l", grid.query_rows);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  if (!described) return;
  const StandardOnlinePvShape shape{{mma_tile(plan), static_cast<int>(tile.stages)}};
  launch.threads = shape.threads();
  launch.ctas_per_sm = shape.ctas_per_sm();
  launch.shared_bytes = shape.shared_bytes();
  weights.shared.push({"S", tensors.s, shape.p_read_bytes_per_step(), 0});
  outputs.shared.push({"V", tensors.v, shape.v_read_bytes_per_step(), 0});
}

}  // namespace

std::string limit_of_standard_online_mma(const Plan& plan) {
  if (plan.problem.mask == Mask::window) return "mask window, the kernels take full or causal";
  return mma_limit(plan);
}

void build_standard_online_mma(const Plan& plan, Program& program) {
  const bool described = limit_of_standard_online_mma(plan).empty();
  const Tensors tensors = add_tensors(plan, program);
  build_scores(plan, tensors, described, program.launches.add());
  build_output(plan, tensors, described, program.launches.add());
}

}  // namespace hbmscope
