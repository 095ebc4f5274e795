// Standard attention by the papers' count: each launch reads each operand once and writes each result once.
#include "sim/algorithms/standard.h"
#include "sim/algorithms/whole_pass.h"

namespace hbmscope {
namespace {

// Dao et al. 2022, Algorithm 0: 4 N² + 4 N d elements.
void build_forward(const Problem& problem, const StandardTensors& t, Program& program) {
  add_whole_pass(program, {.name = "S = QKᵀ",
                           .kv_loads = {t.k},
                           .loads = {t.q},
                           .compute = {"S = Q Kᵀ", ComputeKind::matmul, problem.head_dim},
                           .stores = {t.s}});
  add_whole_pass(program, {.name = "P = softmax(S)",
                           .loads = {t.s},
                           .compute = {"P = softmax(S) by rows", ComputeKind::softmax, 0, 1},
                           .stores = {t.p}});
  add_whole_pass(program, {.name = "O = PV",
                           .kv_loads = {t.v},
                           .loads = {t.p},
                           .compute = {"O = P V", ComputeKind::matmul, problem.head_dim_v},
                           .stores = {t.o}});
}

// Algorithm 3: 7 N² + 8 N d elements. P is kept from the forward pass, nothing is computed again.
void build_backward(const Problem& problem, const StandardTensors& t, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = t.gradients;
  add_whole_pass(program, {.name = "dV = PᵀdO",
                           .loads = {t.p, d_o},
                           .compute = {"dV = dV + Pᵀ dO", ComputeKind::matmul, problem.head_dim_v},
                           .kv_stores = {d_v}});
  add_whole_pass(program, {.name = "dP = dO Vᵀ",
                           .kv_loads = {t.v},
                           .loads = {d_o},
                           .compute = {"dP = dO Vᵀ", ComputeKind::matmul, problem.head_dim_v},
                           .stores = {t.d_p}});
  add_whole_pass(program, {.name = "dS = P∘(dP − rowsum(P∘dP))",
                           .loads = {t.p, t.d_p},
                           .compute = {"dS = P ∘ (dP − rowsum(P ∘ dP))"},
                           .stores = {t.d_s}});
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

}  // namespace

void build_standard_passes(const StandardTensors& tensors, Program& program) {
  const Problem& problem = program.problem;
  if (runs_forward(problem)) build_forward(problem, tensors, program);
  if (runs_backward(problem)) build_backward(problem, tensors, program);
}

void build_standard_paper(const Plan& plan, Program& program) {
  build_standard_passes(add_standard_tensors(plan.problem, plan.problem.seqlen_kv, program), program);
}

}  // namespace hbmscope
