// FlashAttention-2 (Dao 2023, Algorithm 1): Q outside, K/V inside. A CTA keeps its O, its row maxima m and
// its row sums l on chip, so that O and the log-sum-exp of each row are written once, and S and P never
// leave.
#include "sim/algorithms/flash2.h"

#include <array>

#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/flash2_backward.h"
#include "sim/algorithms/mma_limit.h"
#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {
namespace {

// A part of each CTA's local memory, written whole.
void spill(std::string_view name, std::int64_t bytes, Program& program) {
  if (bytes == 0) return;
  const int part = build::tensor(program, name, Role::local, 1, 1, bytes, 1);
  build::store(program.launches.back(), part, build::plane({}), build::whole(1), build::whole(bytes));
}

// The tiles of one split, of which each takes `tiles`: where every q tile sees all K/V tiles.
void take_split(int split, std::int64_t tiles, Loop& kv_tiles) {
  const std::int64_t all = kv_tiles.end.affine.constant;
  kv_tiles.begin = {.affine = build::affine({{split, tiles}}), .minimum = 0, .maximum = all};
  kv_tiles.end = {.affine = build::affine({{split, tiles}}, tiles), .minimum = 0, .maximum = all};
}

}  // namespace

Flash2Tensors add_flash2_tensors(const Plan& plan, std::int64_t lse_bytes, Program& program) {
  using build::tensor;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  Flash2Tensors tensors{};
  tensors.q = tensor(program, "Q", Role::input, query_planes, problem.seqlen_q, problem.head_dim, width);
  tensors.k = tensor(program, "K", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim, width);
  tensors.v = tensor(program, "V", Role::input, kv_planes, problem.seqlen_kv, problem.head_dim_v, width);
  const Role saved = saved_role(problem, Role::output);
  tensors.o = tensor(program, "O", saved, query_planes, problem.seqlen_q, problem.head_dim_v, width);
  tensors.lse = tensor(program, "LSE", saved, query_planes, 1, problem.seqlen_q, lse_bytes);
  tensors.s = tensor(program, "S", Role::on_chip, 1, tile.br, tile.bc, 4);
  tensors.p = tensor(program, "P", Role::on_chip, 1, tile.br, tile.bc, width);
  tensors.m = tensor(program, "m", Role::on_chip, 1, tile.br, 1, 4);
  tensors.l = tensor(program, "l", Role::on_chip, 1, tile.br, 1, 4);
  return tensors;
}

Loop& build_flash2_forward(const Plan& plan, const Flash2Tensors& tensors, const Flash2Launch& how,
                           Program& program) {
  using namespace build;
  const Problem& problem = plan.problem;
  const Tile& tile = plan.tile;
  Launch& launch = program.launches.back();
  const int split = tensors.partial_o == kNone ? kNone : launch.loops.push(counted("split", tile.splits));
  const QueryGrid grid =
      how.heads_of_section > 0
          ? query_grid_in_sections(launch, problem, tile.br, how.heads_of_section)
          : query_grid(launch, problem, tile.br, plan.order == Order::head_fastest, how.batch_before_head);
  if (split != kNone) ++launch.grid_loops;
  const Range query_columns = whole(problem.head_dim);
  const Range value_columns = whole(problem.head_dim_v);

  load(launch, tensors.q, grid.query_plane, grid.query_rows, query_columns, how.path).hint = how.q_hint;
  spill("spills, once", how.spills.bytes_per_cta, program);
  Loop kv_tiles = visible_kv_tiles(problem, grid.q_tile, tile.br, tile.bc);
  if (split != kNone)
    take_split(split, ceil_div(ceil_div(problem.seqlen_kv, tile.bc), tile.splits), kv_tiles);
  kv_tiles.walk = plan.kv_walk;
  kv_tiles.alternates_with = grid.q_tile;
  const int kv_tile = open_loop(launch, kv_tiles);
  const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
  load(launch, tensors.k, grid.key_value_plane, keys, query_columns, how.path).hint = how.kv_hint;
  if (how.held_q_read != 0) {
    Compute& hold = elementwise(launch, "keep Q's fragments in registers", grid.query_rows);
    hold.guard = {.kind = Guard::Kind::first, .loop = kv_tile};
    hold.shared.push({"Q", tensors.q, how.held_q_read, 0});
  }
  Compute& scores = matmul(launch, "S = Q Kᵀ", grid.query_rows, keys, problem.head_dim);
  scores.shared.push({"Q", tensors.q, how.q_read, 0});
  scores.shared.push({"K", tensors.k, how.k_read, 0});
  softmax(launch, "m, l, P, rescale O: online softmax of S", grid.query_rows, keys, 1,
          how.rescales_per_query);
  load(launch, tensors.v, grid.key_value_plane, keys, value_columns, how.path).hint = how.kv_hint;
  Compute& outputs = matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
  outputs.shared.push({"V", tensors.v, how.v_read, 0});
  spill("spills", how.spills.bytes_per_step, program);
  close_loop(launch, kv_tile);
  elementwise(launch, "O = O / l, LSE = m + log l", grid.query_rows);
  if (split != kNone) {
    const Index partial =
        plane({{split, 1}, {grid.head, tile.splits}, {grid.batch, problem.heads * tile.splits}});
    store(launch, tensors.partial_o, partial, grid.query_rows, value_columns);
    store(launch, tensors.partial_stats, partial, grid.query_rows,
          whole(program.tensors[tensors.partial_stats].columns));
    return launch.loops[grid.q_tile];
  }
  store(launch, tensors.o, grid.query_plane, grid.query_rows, value_columns);
  if (how.writes_lse) store(launch, tensors.lse, grid.query_plane, whole(1), grid.query_rows);
  return launch.loops[grid.q_tile];
}

namespace {

void build_mma_forward(const Plan& plan, const Flash2Tensors& tensors, Program& program) {
  Launch& launch = program.launches.add();
  launch.name = "flash2";
  launch.kernel = "flash2_mma";
  add_mma_macros(plan, launch);
  launch.macros.push({"HBMSCOPE_STAGES", plan.tile.stages});
  launch.macros.push({"HBMSCOPE_MASK", static_cast<int>(plan.problem.mask)});
  launch.macros.push({"HBMSCOPE_HEAD_FASTEST", plan.order == Order::head_fastest});
  launch.macros.push({"HBMSCOPE_KV_WALK", static_cast<int>(plan.kv_walk)});
  Flash2Launch how{.path = Path::shared_copy};
  if (mma_limit(plan).empty()) {
    const Flash2MmaShape shape{mma_tile(plan), static_cast<int>(plan.tile.stages)};
    launch.threads = shape.threads();
    launch.ctas_per_sm = shape.ctas_per_sm();
    launch.shared_bytes = shape.shared_bytes();
    how.held_q_read = shape.held_q_read_bytes();
    how.q_read = shape.q_read_bytes_per_step();
    how.k_read = shape.k_read_bytes_per_step();
    how.v_read = shape.v_read_bytes_per_step();
    how.rescales_per_query = shape.rescales_per_step();
  }
  Loop& q_tiles = build_flash2_forward(plan, tensors, how, program);
  // The last q tiles see the most keys; running them first leaves short ones for the end of the launch.
  if (plan.problem.mask == Mask::causal) q_tiles.walk = Walk::down;
}

Flash2Saved saved_of(const Flash2Tensors& tensors) {
  return {tensors.q, tensors.k, tensors.v, tensors.o, tensors.lse};
}

void build_mma(const Plan& plan, Program& program) {
  const Flash2Tensors tensors = add_flash2_tensors(plan, 4, program);
  program.tensors[tensors.lse].row_stride = flash2_lse_columns(plan.problem.seqlen_q);
  if (runs_forward(plan.problem)) build_mma_forward(plan, tensors, program);
  if (runs_backward(plan.problem)) {
    build_flash2_backward(plan, saved_of(tensors), GatherQueries::in_fp32, program);
  }
}

// The paper's counting: every element, LSE included, has the problem's size.
void build_paper(const Plan& plan, Program& program) {
  const Flash2Tensors tensors = add_flash2_tensors(plan, element_bytes(plan.problem.dtype), program);
  if (runs_forward(plan.problem)) {
    program.launches.add().name = "flash2";
    build_flash2_forward(plan, tensors, {}, program);
  }
  if (runs_backward(plan.problem)) {
    build_flash2_backward(plan, saved_of(tensors), GatherQueries::in_place, program);
  }
}

const std::array<Variant, 5> kVariants{{
    {"mma",
     "cp.async copies and mma.sync tensor cores, sm_80 and up; no backward kernel",
     true,
     build_mma,
     mma_limit,
     {.backward = true, .head_fastest = true, .kv_walks = true}},
    {"paper",
     "the paper's count: every element of the problem's size, no kernel",
     false,
     build_paper,
     nullptr,
     {.backward = true, .head_fastest = true, .kv_walks = true}},
    {"fa2",
     "FlashAttention-2 as PyTorch runs it on an H200; predicted, not run",
     false,
     build_flash2_fa2,
     nullptr,
     {.splits = true, .head_fastest = true, .kv_walks = true},
     {},
     flash2_fa2_plan,
     flash2_fa2_note},
    {"cudnn",
     "cuDNN's kernel as PyTorch runs it on an H200; predicted, not run",
     false,
     build_flash2_cudnn,
     nullptr,
     {.splits = true, .head_fastest = true, .kv_walks = true},
     {},
     flash2_cudnn_plan,
     flash2_cudnn_note},
    {"fa3",
     "FlashAttention-3 on Hopper, as its source says; predicted, not run",
     false,
     build_flash2_fa3,
     nullptr,
     {.splits = true, .head_fastest = true, .kv_walks = true},
     {},
     flash2_fa3_plan,
     flash2_fa3_note},
}};

}  // namespace

extern const Algorithm kFlash2;
const Algorithm kFlash2{"flash2", "tiled, Q outside: O and LSE written once, S and P stay on chip",
                        kVariants};

}  // namespace hbmscope
