// FlashAttention as its first release ran under a framework's autograd in 2022: Algorithms 1 and 4 with what
// the program around them keeps. Published behaviour of the code (mha_bwd in csrc/flash_attn/fmha_api.cpp):
// LSE and dPsum = rowsum(dO ∘ O) of a row in fp32 where the paper has l and m, and fp32 sums of dQ once K and
// V are more than one block. Inferred from Table 21 of Dao et al. 2022, which names no tensors: new dQ, dK
// and dV are added to the gradients of the step before, 3 N d more. In elements of the problem's size: Q, K,
// V, O, dO (5 N d), dQ, dK, dV (3), the gradients (3) = 11 N d, with sums of dQ 13 N d; LSE and dPsum 2 N in
// fp32.
#include "sim/algorithms/build.h"
#include "sim/algorithms/directions.h"
#include "sim/algorithms/flash1.h"
#include "sim/algorithms/whole_pass.h"

namespace hbmscope {
namespace {

// Rows of K and V that the first release takes as one block, whatever the plan's tile; beyond, it loops.
std::int64_t rows_of_one_block(const Problem& problem) { return problem.head_dim > 64 ? 128 : 256; }

int add_row_sums(std::string_view name, Role role, Program& program) {
  const Problem& problem = program.problem;
  return build::tensor(program, name, role, problem.batch * problem.heads, problem.seqlen_q, 1, 4);
}

int add_like(std::string_view name, Role role, int of, Program& program) {
  Tensor like = program.tensors[of];
  like.name = name;
  like.role = role;
  return program.tensors.push(like);
}

int add_d_q_sums(const Gradients& gradients, Program& program) {
  const Problem& problem = program.problem;
  if (problem.seqlen_kv <= rows_of_one_block(problem)) return gradients.d_q;
  const int sums = add_like("dQ sums", Role::workspace, gradients.d_q, program);
  program.tensors[sums].element_bytes = 4;
  return sums;
}

// What the step before left is an input that the pass overwrites.
void build_accumulation(const Gradients& gradients, Program& program) {
  const auto& [d_o, d_q, d_k, d_v] = gradients;
  const int q_grad = add_like("Q.grad", Role::input, d_q, program);
  const int k_grad = add_like("K.grad", Role::input, d_k, program);
  const int v_grad = add_like("V.grad", Role::input, d_v, program);
  add_whole_pass(program, {.name = "accumulate gradients",
                           .kv_loads = {d_k, d_v, k_grad, v_grad},
                           .loads = {d_q, q_grad},
                           .compute = {"Q.grad, K.grad, V.grad + dQ, dK, dV"},
                           .stores = {q_grad},
                           .kv_stores = {k_grad, v_grad}});
}

void build_backward(const Plan& plan, const Flash1Operands& operands, int lse, Program& program) {
  const Gradients gradients = add_gradients(plan.problem, program);
  const int d_p_sum = add_row_sums("dPsum", Role::workspace, program);
  const int d_q_sums = add_d_q_sums(gradients, program);
  add_whole_pass(program, {.name = "dPsum",
                           .loads = {operands.o, gradients.d_o},
                           .compute = {"dPsum = rowsum(dO ∘ O)"},
                           .stores = {d_p_sum}});
  build_flash1_backward(plan,
                        {.operands = operands,
                         .d_q = d_q_sums,
                         .d_k = gradients.d_k,
                         .d_v = gradients.d_v,
                         .rows = {gradients.d_o, lse, d_p_sum},
                         .softmax = "P = e^{S − LSE}",
                         .d_s = "dS = P ∘ (dP − dPsum)"},
                        program);
  if (d_q_sums != gradients.d_q) {
    add_whole_pass(
        program,
        {.name = "convert dQ", .loads = {d_q_sums}, .compute = {"dQ = dQ sums"}, .stores = {gradients.d_q}});
  }
  build_accumulation(gradients, program);
}

}  // namespace

void build_flash1_autograd(const Plan& plan, Program& program) {
  const Problem& problem = plan.problem;
  const Flash1Operands operands = add_flash1_operands(plan, program);
  const int lse = add_row_sums("LSE", saved_role(problem, Role::output), program);
  if (runs_forward(problem)) {
    build_flash1_forward(plan,
                         {.operands = operands,
                          .row_sums = {lse},
                          .softmax = "m̃, P̃, l̃ of S; LSE' = log(e^{LSE} + l̃ e^{m̃})",
                          .output = "O = e^{LSE − LSE'} O + e^{m̃ − LSE'} P̃ V"},
                         program);
  }
  if (runs_backward(problem)) build_backward(plan, operands, lse, program);
}

}  // namespace hbmscope
