// Standard attention as a framework's autograd ran it in 2022: the papers' passes over copies of Q and K. The
// reference attention of FlashAttention's benchmark (benchmarks/benchmark_flash_attention.py) rearranges q to
// (b h) t d and k to (b h) d s before baddbmm, which copies both, and the backward pass reads the copies that
// were saved. With these, Table 21 of Dao et al. 2022 is 4 N² + 10 N d elements: S, P, dP, dS; Q, K, V, O and
// their gradients; two copies. That its 2 N d are these copies is inferred: the table names no tensors.
#include "sim/algorithms/standard.h"
#include "sim/algorithms/whole_pass.h"

namespace hbmscope {
namespace {

int add_copy(std::string_view name, int of, Program& program) {
  Tensor copy = program.tensors[of];
  copy.name = name;
  copy.role = saved_role(program.problem, Role::workspace);
  return program.tensors.push(copy);
}

}  // namespace

// Q and K stay allocated when only their copies are read, in a backward pass alone too.
void build_standard_autograd(const Plan& plan, Program& program) {
  StandardTensors tensors = add_standard_tensors(plan.problem, plan.problem.seqlen_kv, program);
  const int q = tensors.q;
  const int k = tensors.k;
  tensors.q = add_copy("Q copy", q, program);
  tensors.k = add_copy("K copy", k, program);
  if (runs_forward(plan.problem)) {
    add_whole_pass(program, {.name = "copy Q and K",
                             .kv_loads = {k},
                             .loads = {q},
                             .compute = {"Q, K made contiguous"},
                             .stores = {tensors.q},
                             .kv_stores = {tensors.k}});
  }
  build_standard_passes(tensors, program);
}

}  // namespace hbmscope
