#include "sim/algorithms/unfused_passes.h"

#include "sim/algorithms/whole_pass.h"

namespace hbmscope {

void add_scores_pass(int q, int k, int s, Program& program) {
  add_whole_pass(program, {.name = "S = QKᵀ",
                           .kv_loads = {k},
                           .loads = {q},
                           .compute = {"S = Q Kᵀ", ComputeKind::matmul, program.problem.head_dim},
                           .stores = {s}});
}

void add_softmax_pass(int s, int p, Program& program) {
  add_whole_pass(program, {.name = "P = softmax(S)",
                           .loads = {s},
                           .compute = {"P = softmax(S) by rows", ComputeKind::softmax, 0, 1},
                           .stores = {p}});
}

void add_output_pass(int p, int v, int o, Program& program) {
  add_whole_pass(program, {.name = "O = PV",
                           .kv_loads = {v},
                           .loads = {p},
                           .compute = {"O = P V", ComputeKind::matmul, program.problem.head_dim_v},
                           .stores = {o}});
}

void add_d_v_pass(int p, int d_o, int d_v, Program& program) {
  add_whole_pass(program, {.name = "dV = PᵀdO",
                           .loads = {p, d_o},
                           .compute = {"dV = dV + Pᵀ dO", ComputeKind::matmul, program.problem.head_dim_v},
                           .kv_stores = {d_v}});
}

void add_d_p_pass(int v, int d_o, int d_p, Program& program) {
  add_whole_pass(program, {.name = "dP = dO Vᵀ",
                           .kv_loads = {v},
                           .loads = {d_o},
                           .compute = {"dP = dO Vᵀ", ComputeKind::matmul, program.problem.head_dim_v},
                           .stores = {d_p}});
}

void add_d_s_pass(int p, int d_p, int d_s, Program& program) {
  add_whole_pass(program, {.name = "dS = P∘(dP − rowsum(P∘dP))",
                           .loads = {p, d_p},
                           .compute = {"dS = P ∘ (dP − rowsum(P ∘ dP))"},
                           .stores = {d_s}});
}

void add_d_q_pass(int k, int d_s, int d_q, Program& program) {
  add_whole_pass(program, {.name = "dQ = dS K",
                           .kv_loads = {k},
                           .loads = {d_s},
                           .compute = {"dQ = dS K", ComputeKind::matmul, program.problem.head_dim},
                           .stores = {d_q}});
}

void add_d_k_pass(int q, int d_s, int d_k, Program& program) {
  add_whole_pass(program, {.name = "dK = dSᵀQ",
                           .loads = {d_s, q},
                           .compute = {"dK = dK + dSᵀ Q", ComputeKind::matmul, program.problem.head_dim},
                           .kv_stores = {d_k}});
}

}  // namespace hbmscope
