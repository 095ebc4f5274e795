// Standard attention with an online softmax (Milakov and Gimelshein 2018): QKᵀ keeps the maximum m and the
// sum of exponentials l of each row, so that PV makes P = e^{S − m} / l of S as it reads it. S goes through
// HBM, P does not: S is written and read once, where standard writes and reads both.
#include <array>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/standard_online_mma.h"
#include "sim/algorithms/unfused_passes.h"
#include "sim/algorithms/whole_pass.h"

namespace hbmscope {
namespace {

// kNone where the direction needs none.
struct Tensors {
  int q, k, v, o, s, m, l;
  Gradients gradients;
  int d_p, d_s;
};

Tensors add_tensors(const Problem& problem, Program& program) {
  const std::int64_t width = element_bytes(problem.dtype);
  const std::int64_t kv_planes = problem.batch * problem.kv_heads;
  const auto queries = [&](std::string_view name, Role role, std::int64_t columns) {
    return build::tensor(program, name, role, problem.batch * problem.heads, problem.seqlen_q, columns,
                         width);
  };
  const auto keys = [&](std::string_view name, std::int64_t columns) {
    return build::tensor(program, name, Role::input, kv_planes, problem.seqlen_kv, columns, width);
  };
  const Role saved = saved_role(problem, Role::workspace);
  const bool backward = runs_backward(problem);
  return {
      .q = queries("Q", Role::input, problem.head_dim),
      .k = keys("K", problem.head_dim),
      .v = keys("V", problem.head_dim_v),
      .o = runs_forward(problem) ? queries("O", Role::output, problem.head_dim_v) : kNone,
      .s = queries("S", saved, problem.seqlen_kv),
      .m = queries("m", saved, 1),
      .l = queries("l", saved, 1),
      .gradients = backward ? add_gradients(problem, program) : Gradients{},
      .d_p = backward ? queries("dP", Role::workspace, problem.seqlen_kv) : kNone,
      .d_s = backward ? queries("dS", Role::workspace, problem.seqlen_kv) : kNone,
  };
}

// 2 N² + 4 N d + 4 N elements.
void build_forward(const Problem& problem, const Tensors& t, Program& program) {
  add_whole_pass(program, {.name = "S = QKᵀ, m, l",
                           .kv_loads = {t.k},
                           .loads = {t.q},
                           .compute = {"S = Q Kᵀ", ComputeKind::matmul, problem.head_dim},
                           .then = {"m, l: online softmax of S", ComputeKind::softmax, 0, 1},
                           .stores = {t.s, t.m, t.l}});
  add_whole_pass(program, {.name = "O = softmax(S) V",
                           .kv_loads = {t.v},
                           .loads = {t.s, t.m, t.l},
                           .compute = {"P = e^{S − m} / l", ComputeKind::softmax, 0, 1},
                           .then = {"O = P V", ComputeKind::matmul, problem.head_dim_v},
                           .stores = {t.o}});
}

// As standard's, with P computed again from S: 7 N² + 8 N d + 4 N elements.
void build_backward(const Problem& problem, const Tensors& t, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = t.gradients;
  const PassCompute again{"P = e^{S − m} / l", ComputeKind::softmax, 0, 1};
  add_whole_pass(program, {.name = "dV = softmax(S)ᵀdO",
                           .loads = {t.s, t.m, t.l, d_o},
                           .compute = again,
                           .then = {"dV = dV + Pᵀ dO", ComputeKind::matmul, problem.head_dim_v},
                           .kv_stores = {d_v}});
  add_d_p_pass(t.v, d_o, t.d_p, program);
  add_whole_pass(program, {.name = "dS = P∘(dP − rowsum(P∘dP))",
                           .loads = {t.s, t.m, t.l, t.d_p},
                           .compute = again,
                           .then = {"dS = P ∘ (dP − rowsum(P ∘ dP))"},
                           .stores = {t.d_s}});
  add_d_q_pass(t.k, t.d_s, d_q, program);
  add_d_k_pass(t.q, t.d_s, d_k, program);
}

void build_paper(const Plan& plan, Program& program) {
  const Tensors tensors = add_tensors(plan.problem, program);
  if (runs_forward(plan.problem)) build_forward(plan.problem, tensors, program);
  if (runs_backward(plan.problem)) build_backward(plan.problem, tensors, program);
}

const std::array<Variant, 2> kVariants{{
    {"mma", "two mma.sync kernels, sm_80 and up; S in the problem's type, m and l in fp32 for each kv tile",
     true, build_standard_online_mma, limit_of_standard_online_mma},
    {"paper",
     "the ideal count: each launch reads each operand once, no kernel",
     false,
     build_paper,
     nullptr,
     {.backward = true}},
}};

}  // namespace

extern const Algorithm kStandardOnline;
const Algorithm kStandardOnline{
    .name = "standard-online",
    .summary =
        "two launches: S = QKᵀ with each row's maximum and sum, then O = softmax(S)V; "
        "S through HBM, P not",
    .variants = kVariants,
    .unfused = true,
};

}  // namespace hbmscope
