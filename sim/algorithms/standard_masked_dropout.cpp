// Standard attention as a framework runs it operator by operator, masking and dropout in passes of their own
// (Dao et al. 2022, Algorithms 0 and 3 with the masking and dropout of their appendix B). The dropout mask is
// drawn again in the backward pass: it is neither stored nor read.
#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/unfused_passes.h"
#include "sim/algorithms/whole_pass.h"

namespace hbmscope {
namespace {

// kNone where the direction needs none.
struct Tensors {
  int q, k, v, o;
  int s, masked_s, p, dropped_p;
  Gradients gradients;
  int d_dropped_p, d_p, d_masked_s, d_s;
};

Tensors add_tensors(const Problem& problem, Program& program) {
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t planes = problem.batch * problem.heads;
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const auto queries = [&](std::string_view name, Role role, std::int64_t columns) {
    return build::tensor(program, name, role, planes, problem.seqlen_q, columns, width);
  };
  const auto keys = [&](std::string_view name, std::int64_t columns) {
    return build::tensor(program, name, Role::input, kv_planes, problem.seqlen_kv, columns, width);
  };
  const auto scores = [&](std::string_view name, bool wanted, Role role = Role::workspace) {
    return wanted ? queries(name, role, problem.seqlen_kv) : kNone;
  };
  const bool forward = runs_forward(problem);
  const bool backward = runs_backward(problem);
  const Role saved = saved_role(problem, Role::workspace);
  return {
      .q = queries("Q", Role::input, problem.head_dim),
      .k = keys("K", problem.head_dim),
      .v = keys("V", problem.head_dim_v),
      .o = forward ? queries("O", Role::output, problem.head_dim_v) : kNone,
      .s = scores("S", forward),
      .masked_s = scores("S masked", forward),
      .p = scores("P", true, saved),
      .dropped_p = scores("P dropped", true, saved),
      .gradients = backward ? add_gradients(problem, program) : Gradients{},
      .d_dropped_p = scores("dP dropped", backward),
      .d_p = scores("dP", backward),
      .d_masked_s = scores("dS masked", backward),
      .d_s = scores("dS", backward),
  };
}

// 8 N² + 4 N d elements.
void build_forward(const Tensors& t, Program& program) {
  add_scores_pass(t.q, t.k, t.s, program);
  add_whole_pass(program,
                 {.name = "mask S", .loads = {t.s}, .compute = {"S = mask(S)"}, .stores = {t.masked_s}});
  add_softmax_pass(t.masked_s, t.p, program);
  add_whole_pass(program,
                 {.name = "drop P", .loads = {t.p}, .compute = {"P = dropout(P)"}, .stores = {t.dropped_p}});
  add_output_pass(t.dropped_p, t.v, t.o, program);
}

// 11 N² + 8 N d elements.
void build_backward(const Tensors& t, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = t.gradients;
  add_d_v_pass(t.dropped_p, d_o, d_v, program);
  add_d_p_pass(t.v, d_o, t.d_dropped_p, program);
  add_whole_pass(
      program,
      {.name = "drop dP", .loads = {t.d_dropped_p}, .compute = {"dP = dropout(dP)"}, .stores = {t.d_p}});
  add_d_s_pass(t.p, t.d_p, t.d_masked_s, program);
  add_whole_pass(
      program, {.name = "mask dS", .loads = {t.d_masked_s}, .compute = {"dS = mask(dS)"}, .stores = {t.d_s}});
  add_d_q_pass(t.k, t.d_s, d_q, program);
  add_d_k_pass(t.q, t.d_s, d_k, program);
}

void build_paper(const Plan& plan, Program& program) {
  const Tensors tensors = add_tensors(plan.problem, program);
  if (runs_forward(plan.problem)) build_forward(tensors, program);
  if (runs_backward(plan.problem)) build_backward(tensors, program);
}

const std::array<Variant, 1> kVariants{{
    {"paper",
     "the paper's count: each launch reads each operand once, no kernel",
     false,
     build_paper,
     nullptr,
     {.backward = true}},
}};

}  // namespace

extern const Algorithm kStandardMaskedDropout;
const Algorithm kStandardMaskedDropout{
    .name = "standard-masked-dropout",
    .summary = "unfused, with masking and dropout as passes of their own over S and P",
    .variants = kVariants,
    .unfused = true,
};

}  // namespace hbmscope
