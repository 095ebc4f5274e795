// Standard attention by the papers' count: each launch reads each operand once and writes each result once.
#include "sim/algorithms/standard.h"
#include "sim/algorithms/unfused_passes.h"

namespace hbmscope {
namespace {

// Dao et al. 2022, Algorithm 0: 4 N² + 4 N d elements.
void build_forward(const StandardTensors& t, Program& program) {
  add_scores_pass(t.q, t.k, t.s, program);
  add_softmax_pass(t.s, t.p, program);
  add_output_pass(t.p, t.v, t.o, program);
}

// Algorithm 3: 7 N² + 8 N d elements. P is kept from the forward pass, nothing is computed again.
void build_backward(const StandardTensors& t, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = t.gradients;
  add_d_v_pass(t.p, d_o, d_v, program);
  add_d_p_pass(t.v, d_o, t.d_p, program);
  add_d_s_pass(t.p, t.d_p, t.d_s, program);
  add_d_q_pass(t.k, t.d_s, d_q, program);
  add_d_k_pass(t.q, t.d_s, d_k, program);
}

}  // namespace

void build_standard_passes(const StandardTensors& tensors, Program& program) {
  if (runs_forward(program.problem)) build_forward(tensors, program);
  if (runs_backward(program.problem)) build_backward(tensors, program);
}

void build_standard_paper(const Plan& plan, Program& program) {
  build_standard_passes(add_standard_tensors(plan.problem, plan.problem.seqlen_kv, program), program);
}

}  // namespace hbmscope
