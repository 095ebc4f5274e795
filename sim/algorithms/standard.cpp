// Standard attention (Dao et al. 2022, Algorithm 0): S = QKᵀ, P = softmax(S) and O = PV are launches of their
// own, so S and P go through HBM. Under a mask the whole square is computed.
#include "sim/algorithms/standard.h"

#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/mma_limit.h"
#include "sim/algorithms/standard_scores.h"
#include "sim/kernel_shapes/standard_mma.h"
#include "sim/units.h"

namespace hbmscope {

void build_standard_softmax(const Problem& problem, int s, int p, std::int64_t heads_per_plane,
                            bool described, Launch& launch) {
  using namespace build;
  const std::int64_t columns = standard_s_columns(problem.seqlen_kv);
  const StandardSoftmaxShape shape =
      standard_softmax_supported(columns) ? standard_softmax_shape(columns) : StandardSoftmaxShape{256, 32};
  const std::int64_t rows = shape.rows_per_cta();
  launch.name = "P = softmax(S)";
  launch.kernel = "standard_softmax";
  launch.macros.push({"HBMSCOPE_DTYPE_BF16", problem.dtype == DataType::bf16});
  launch.macros.push({"HBMSCOPE_MASK", static_cast<int>(problem.mask)});
  launch.macros.push({"HBMSCOPE_THREADS_PER_ROW", shape.threads_per_row});
  launch.macros.push({"HBMSCOPE_VECTORS_PER_THREAD", shape.vectors_per_thread});
  const int row_tile = launch.loops.push(counted("row tile", ceil_div(problem.seqlen_q, rows)));
  const int head = launch.loops.push(counted("head of the plane", heads_per_plane));
  const int matrix = launch.loops.push(counted("plane", problem.batch * problem.heads / heads_per_plane));
  launch.grid_loops = 3;
  const std::int64_t head_rows = heads_per_plane == 1 ? 0 : problem.seqlen_q;
  const Range queries{.start = affine({{row_tile, rows}, {head, head_rows}}),
                      .extent = rows,
                      .limit = {.affine = affine({{head, head_rows}}, problem.seqlen_q)}};
  load(launch, s, plane({{matrix, 1}}), queries, whole(columns));
  Compute& row =
      softmax(launch, "P = softmax(S) by rows", queries, whole(columns), 0, shape.exponentials_per_row());
  store(launch, p, plane({{matrix, 1}}), queries, whole(columns));
  if (!described) return;
  launch.threads = shape.threads();
  launch.ctas_per_sm = shape.ctas_per_sm();
  launch.shared_bytes = shape.static_shared_bytes();
  row.shared.push({"row maxima and sums", kNone, rows * shape.shared_read_bytes_per_row(),
                   rows * shape.shared_write_bytes_per_row()});
}

std::string standard_softmax_limit(const Problem& problem) {
  if (standard_softmax_supported(standard_s_columns(problem.seqlen_kv))) return "";
  return "seqlen_kv " + std::to_string(problem.seqlen_kv) + ", the softmax kernel holds rows of up to " +
         std::to_string(StandardSoftmaxShape::kLargestRowElements);
}

namespace {

// --- mma: three kernels; rows of S and P are padded to whole sectors ---

void build_mma_scores(const Plan& plan, const StandardTensors& tensors, bool described, Launch& launch) {
  launch.name = "S = QKᵀ";
  launch.kernel = "standard_qk";
  const ScoreLoops loops = open_scores(plan, tensors.q, tensors.k, tensors.s, described, launch);
  build::close_loop(launch, loops.kv_tile);
}

void build_mma_output(const Plan& plan, const StandardTensors& tensors, bool described, Launch& launch) {
  using namespace build;
  const Problem& problem = plan.problem;
  const std::int64_t columns = standard_s_columns(problem.seqlen_kv);
  launch.name = "O = PV";
  launch.kernel = "standard_pv";
  add_mma_macros(plan, launch);
  launch.macros.push({"HBMSCOPE_STAGES", plan.tile.stages});
  const QueryGrid grid = query_grid(launch, problem, plan.tile.br, false);
  const int kv_tile = open_loop(launch, counted("kv tile", ceil_div(problem.seqlen_kv, plan.tile.bc)));
  const Range keys = tile_of(kv_tile, plan.tile.bc, problem.seqlen_kv);
  load(launch, tensors.p, grid.query_plane, grid.query_rows, tile_of(kv_tile, plan.tile.bc, columns),
       Path::shared_copy);
  load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v), Path::shared_copy);
  Compute& outputs = matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
  close_loop(launch, kv_tile);
  store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
  if (!described) return;
  const StandardPvShape shape{mma_tile(plan), static_cast<int>(plan.tile.stages)};
  launch.threads = shape.threads();
  launch.ctas_per_sm = shape.ctas_per_sm();
  launch.shared_bytes = shape.shared_bytes();
  outputs.shared.push({"P", tensors.p, shape.p_read_bytes_per_step(), 0});
  outputs.shared.push({"V", tensors.v, shape.v_read_bytes_per_step(), 0});
}

std::string limit_of_standard(const Plan& plan) {
  std::string limit = mma_limit(plan);
  return limit.empty() ? standard_softmax_limit(plan.problem) : limit;
}

void build_mma(const Plan& plan, Program& program) {
  const bool described = limit_of_standard(plan).empty();
  const StandardTensors tensors =
      add_standard_tensors(plan.problem, standard_s_columns(plan.problem.seqlen_kv), program);
  if (runs_forward(plan.problem)) {
    build_mma_scores(plan, tensors, described, program.launches.add());
    build_standard_softmax(plan.problem, tensors.s, tensors.p, 1, described, program.launches.add());
    build_mma_output(plan, tensors, described, program.launches.add());
  }
  if (runs_backward(plan.problem)) build_standard_backward(plan, tensors, program);
}

const std::array<Variant, 5> kVariants{{
    {"mma",
     "three mma.sync kernels, sm_80 and up; S and P stored in the problem's type; no backward kernel",
     true,
     build_mma,
     limit_of_standard,
     {.backward = true}},
    {"paper",
     "the paper's count: each launch reads each operand once, no kernel",
     false,
     build_standard_paper,
     nullptr,
     {.backward = true}},
    {"cublas",
     "QKᵀ and PV by cuBLAS with its tiles, whatever --br and --bc; softmax by our kernel; sm_90 only",
     true,
     build_standard_cublas,
     standard_cublas_limit,
     {},
     {.oldest = 90, .newest = 90}},
    {"eager",
     "matmul, softmax, matmul as PyTorch runs them on an H200; predicted, not run",
     false,
     build_standard_eager,
     nullptr,
     {},
     {},
     standard_eager_plan,
     standard_eager_note},
    {"autograd",
     "as a framework's autograd ran it in 2022: the paper's count over contiguous copies of Q and K, no "
     "kernel",
     false,
     build_standard_autograd,
     nullptr,
     {.backward = true}},
}};

}  // namespace

StandardTensors add_standard_tensors(const Problem& problem, std::int64_t score_columns, Program& program) {
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t query_planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const auto queries = [&](std::string_view name, Role role, std::int64_t columns) {
    return build::tensor(program, name, role, query_planes, problem.seqlen_q, columns, width);
  };
  const auto keys = [&](std::string_view name, std::int64_t columns) {
    return build::tensor(program, name, Role::input, kv_planes, problem.seqlen_kv, columns, width);
  };
  const bool forward = runs_forward(problem);
  const bool backward = runs_backward(problem);
  return {
      .q = queries("Q", Role::input, problem.head_dim),
      .k = keys("K", problem.head_dim),
      .v = keys("V", problem.head_dim_v),
      .o = forward ? queries("O", Role::output, problem.head_dim_v) : kNone,
      .s = forward ? queries("S", Role::workspace, score_columns) : kNone,
      .p = queries("P", saved_role(problem, Role::workspace), score_columns),
      .gradients = backward ? add_gradients(problem, program) : Gradients{},
      .d_p = backward ? queries("dP", Role::workspace, score_columns) : kNone,
      .d_s = backward ? queries("dS", Role::workspace, score_columns) : kNone,
  };
}

extern const Algorithm kStandard;
const Algorithm kStandard{
    .name = "standard",
    .summary = "unfused: S = QKᵀ, softmax and O = PV, S and P through HBM",
    .variants = kVariants,
    .unfused = true,
};

}  // namespace hbmscope
