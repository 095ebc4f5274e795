#pragma once

#include "sim/program.h"

// Whole passes (whole_pass.h) that unfused algorithms have in common: Algorithms 0 (forward) and 3 (backward)
// of Dao et al. 2022, a launch each. Each takes the numbers of the tensors that it reads, then of those that
// it writes.
namespace hbmscope {

void add_scores_pass(int q, int k, int s, Program& program);   // S = QKᵀ
void add_softmax_pass(int s, int p, Program& program);         // P = softmax(S)
void add_output_pass(int p, int v, int o, Program& program);   // O = PV
void add_d_v_pass(int p, int d_o, int d_v, Program& program);  // dV = PᵀdO
void add_d_p_pass(int v, int d_o, int d_p, Program& program);  // dP = dO Vᵀ
void add_d_s_pass(int p, int d_p, int d_s, Program& program);  // dS = P∘(dP − rowsum(P∘dP))
void add_d_q_pass(int k, int d_s, int d_q, Program& program);  // dQ = dS K
void add_d_k_pass(int q, int d_s, int d_k, Program& program);  // dK = dSᵀQ

}  // namespace hbmscope
