// standard, variant cublas: S = QKᵀ and O = PV by cuBLAS, as they run in practice, softmax by our kernel. A
// plane holds the query heads of a KV head, so that each product is one matrix with them as its rows.
//
// The kernels are persistent: CTAs take tiles of C until none is left. Each tile reads its rows of A and of B
// whole, in steps of kCublasDepthStep, and boxes that stick out of the matrix arrive whole. Clusters share
// these reads by multicast, which the SM-side counter counts at every receiver. Not described is the ticket
// that a CTA draws for every tile after its first, 32 bytes read and written: at most 0.07 % of the bytes.
#include <fmt/format.h>

#include <optional>

#include "sim/algorithms/build.h"
#include "sim/algorithms/cublas_tiles.h"
#include "sim/algorithms/standard.h"
#include "sim/kernel_shapes/standard_mma.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

constexpr GemmTile kUnknownScoresTile{128, 128};  // of plans that cuBLAS's tiles are not known for

std::int64_t query_rows(const Problem& problem) { return problem.group() * problem.seqlen_q; }
std::int64_t matrices(const Problem& problem) { return problem.batch * problem.kv_heads; }

std::optional<GemmTile> scores_tile(const Problem& problem) {
  return cublas_scores_tile(query_rows(problem), problem.seqlen_kv, matrices(problem));
}

std::optional<GemmTile> output_tile(const Problem& problem) {
  return cublas_output_tile(query_rows(problem), problem.head_dim_v, matrices(problem));
}

struct Tensors {
  int q, k, v, o, s, p;
};

Tensors add_tensors(const Problem& problem, Program& program) {
  using build::tensor;
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t planes = matrices(problem);
  const std::int64_t rows = query_rows(problem);
  const std::int64_t columns = standard_s_columns(problem.seqlen_kv);
  return {
      .q = tensor(program, "Q", Role::input, planes, rows, problem.head_dim, width),
      .k = tensor(program, "K", Role::input, planes, problem.seqlen_kv, problem.head_dim, width),
      .v = tensor(program, "V", Role::input, planes, problem.seqlen_kv, problem.head_dim_v, width),
      .o = tensor(program, "O", Role::output, planes, rows, problem.head_dim_v, width),
      .s = tensor(program, "S", Role::workspace, planes, rows, columns, width),
      .p = tensor(program, "P", Role::workspace, planes, rows, columns, width),
  };
}

Access& load_box(Launch& launch, int tensor, const Index& plane, const Range& rows, const Range& columns) {
  Access& access = build::load(launch, tensor, plane, rows, columns, Path::tensor_copy);
  access.whole_box = true;
  return access;
}

void build_scores(const Problem& problem, const Tensors& tensors, Launch& launch) {
  using namespace build;
  const GemmTile tile = scores_tile(problem).value_or(kUnknownScoresTile);
  const std::int64_t columns = standard_s_columns(problem.seqlen_kv);  // seqlen_kv, wherever the kernel runs
  launch.name = "S = QKᵀ";
  const int kv_tile = launch.loops.push(counted("kv tile", ceil_div(columns, tile.columns)));
  const int q_tile = launch.loops.push(counted("q tile", ceil_div(query_rows(problem), tile.rows)));
  const int matrix = launch.loops.push(counted("kv head and batch", matrices(problem)));
  launch.grid_loops = 3;
  const Range queries = tile_of(q_tile, tile.rows, query_rows(problem));
  const Range keys = tile_of(kv_tile, tile.columns, problem.seqlen_kv);
  load_box(launch, tensors.q, plane({{matrix, 1}}), queries, whole(problem.head_dim));
  load_box(launch, tensors.k, plane({{matrix, 1}}), keys, whole(problem.head_dim));
  matmul(launch, "S = Q Kᵀ / sqrt(d)", queries, keys, problem.head_dim);
  store(launch, tensors.s, plane({{matrix, 1}}), queries, tile_of(kv_tile, tile.columns, columns));
  launch.library_gemm = {.a = tensors.q,
                         .b = tensors.k,
                         .c = tensors.s,
                         .b_transposed = true,
                         .softmax_scale = true,
                         .tile_rows = tile.rows,
                         .tile_columns = tile.columns};
}

void build_output(const Problem& problem, const Tensors& tensors, Launch& launch) {
  using namespace build;
  const GemmTile tile = output_tile(problem).value_or(GemmTile{128, problem.head_dim_v});
  launch.name = "O = PV";
  const int v_tile = launch.loops.push(counted("v column tile", ceil_div(problem.head_dim_v, tile.columns)));
  const int q_tile = launch.loops.push(counted("q tile", ceil_div(query_rows(problem), tile.rows)));
  const int matrix = launch.loops.push(counted("kv head and batch", matrices(problem)));
  launch.grid_loops = 3;
  const Range queries = tile_of(q_tile, tile.rows, query_rows(problem));
  const Range v_columns = tile_of(v_tile, tile.columns, problem.head_dim_v);
  const int step = open_loop(launch, counted("kv step", ceil_div(problem.seqlen_kv, kCublasDepthStep)));
  const Range keys = tile_of(step, kCublasDepthStep, problem.seqlen_kv);
  load_box(launch, tensors.p, plane({{matrix, 1}}), queries, keys);
  load_box(launch, tensors.v, plane({{matrix, 1}}), keys, v_columns);
  matmul(launch, "O = O + P V", queries, keys, tile.columns);
  close_loop(launch, step);
  store(launch, tensors.o, plane({{matrix, 1}}), queries, v_columns);
  launch.library_gemm = {
      .a = tensors.p, .b = tensors.v, .c = tensors.o, .tile_rows = tile.rows, .tile_columns = tile.columns};
}

}  // namespace

std::string standard_cublas_limit(const Plan& plan) {
  const Problem& problem = plan.problem;
  if (problem.dtype != DataType::bf16 && problem.dtype != DataType::fp16) {
    return fmt::format("dtype {}, the kernels take bf16 or fp16", to_string(problem.dtype));
  }
  for (const std::int64_t head_dim : {problem.head_dim, problem.head_dim_v}) {
    if (!cublas_head_dim_known(head_dim)) {
      return fmt::format("head_dim {}, cuBLAS's tiles are known for 64, 128, 192 and 256", head_dim);
    }
  }
  if (problem.mask == Mask::window) return "mask window, the kernel takes full or causal";
  if (problem.seqlen_kv % kCublasDepthStep != 0) {
    return fmt::format("seqlen_kv {}, cuBLAS's bytes are known for multiples of {}", problem.seqlen_kv,
                       kCublasDepthStep);
  }
  if (!scores_tile(problem) || !output_tile(problem)) {
    return fmt::format(
        "{} matrices of {} × {} scores, cuBLAS's tiles are known where 128 or more of them fit",
        matrices(problem), query_rows(problem), problem.seqlen_kv);
  }
  return standard_softmax_limit(problem);
}

void build_standard_cublas(const Plan& plan, Program& program) {
  const Problem& problem = plan.problem;
  const Tensors tensors = add_tensors(problem, program);
  build_scores(problem, tensors, program.launches.add());
  build_standard_softmax(problem, tensors.s, tensors.p, problem.group(),
                         standard_softmax_limit(problem).empty(), program.launches.add());
  build_output(problem, tensors, program.launches.add());
}

// The same launches, which nobody runs from here.
void build_standard_eager(const Plan& plan, Program& program) {
  build_standard_cublas(plan, program);
  for (Launch& launch : program.launches) {
    launch.kernel = {};
    launch.macros.clear();
    launch.library_gemm.reset();
    launch.sram_described = false;
  }
}

ImpliedPlan standard_eager_plan(const Problem& problem) {
  const GemmTile tile = scores_tile(problem).value_or(kUnknownScoresTile);
  return {.tile = {.br = tile.rows, .bc = tile.columns}};
}

std::string standard_eager_note(const Problem& problem, const GpuSpec& gpu) {
  const CountedOn& counted = eager_tiles().counted_on;
  std::string note;
  if (gpu.compute_capability != counted.compute_capability || gpu.sms != counted.sms) {
    note =
        fmt::format("eager on {}: the tiles of its products are those counted on {}", gpu.name, counted.name);
  }
  const std::string limit = standard_cublas_limit({.problem = problem});
  if (!limit.empty())
    note += fmt::format("{}eager: {}; predicted all the same", note.empty() ? "" : "; ", limit);
  return note;
}

}  // namespace hbmscope
