// Standard attention as a framework runs it operator by operator, masking and dropout in passes of their own
// (Dao et al. 2022, Algorithms 0 and 3 with the masking and dropout of their appendix B). The dropout mask is
// drawn again in the backward pass: it is neither stored nor read.
#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
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
void build_forward(const Problem& problem, const Tensors& t, Program& program) {
  add_whole_pass(program, {.name = "S = QKᵀ",
                           .kv_loads = {t.k},
                           .loads = {t.q},
                           .compute = {"S = Q Kᵀ", ComputeKind::matmul, problem.head_dim},
                           .stores = {t.s}});
  add_whole_pass(program,
                 {.name = "mask S", .loads = {t.s}, .compute = {"S = mask(S)"}, .stores = {t.masked_s}});
  add_whole_pass(program, {.name = "P = softmax(S)",
                           .loads = {t.masked_s},
                           .compute = {"P = softmax(S) by rows", ComputeKind::softmax, 0, 1},
                           .stores = {t.p}});
  add_whole_pass(program,
                 {.name = "drop P", .loads = {t.p}, .compute = {"P = dropout(P)"}, .stores = {t.dropped_p}});
  add_whole_pass(program, {.name = "O = PV",
                           .kv_loads = {t.v},
                           .loads = {t.dropped_p},
                           .compute = {"O = P V", ComputeKind::matmul, problem.head_dim_v},
                           .stores = {t.o}});
}

// 11 N² + 8 N d elements.
void build_backward(const Problem& problem, const Tensors& t, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = t.gradients;
  add_whole_pass(program, {.name = "dV = PᵀdO",
                           .loads = {t.dropped_p, d_o},
                           .compute = {"dV = dV + Pᵀ dO", ComputeKind::matmul, problem.head_dim_v},
                           .kv_stores = {d_v}});
  add_whole_pass(program, {.name = "dP = dO Vᵀ",
                           .kv_loads = {t.v},
                           .loads = {d_o},
                           .compute = {"dP = dO Vᵀ", ComputeKind::matmul, problem.head_dim_v},
                           .stores = {t.d_dropped_p}});
  add_whole_pass(
      program,
      {.name = "drop dP", .loads = {t.d_dropped_p}, .compute = {"dP = dropout(dP)"}, .stores = {t.d_p}});
  add_whole_pass(program, {.name = "dS = P∘(dP − rowsum(P∘dP))",
                           .loads = {t.p, t.d_p},
                           .compute = {"dS = P ∘ (dP − rowsum(P ∘ dP))"},
                           .stores = {t.d_masked_s}});
  add_whole_pass(
      program, {.name = "mask dS", .loads = {t.d_masked_s}, .compute = {"dS = mask(dS)"}, .stores = {t.d_s}});
  add_whole_pass(program, {.name = "dQ = dS K",
                           .kv_loads = {t.k},
                           .loads = {t.d_s},
                           .compute = {"dQ = dS K", ComputeKind::matmul, problem.head_dim},
                           .stores = {d_q}});
  add_whole_pass(program, {.name = "dK = dSᵀQ",
                           .loads = {t.d_s, t.q},
                           .compute = {"dK = dK + dSᵀ Q", ComputeKind::matmul, problem.head_dim},
                           .kv_stores = {d_k}});
}

void build_paper(const Plan& plan, Program& program) {
  const Tensors tensors = add_tensors(plan.problem, program);
  if (runs_forward(plan.problem)) build_forward(plan.problem, tensors, program);
  if (runs_backward(plan.problem)) build_backward(plan.problem, tensors, program);
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
