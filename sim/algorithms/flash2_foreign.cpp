// flash2, variants fa2 and cudnn: kernels that others built, described in configs/kernels/. Only what their
// traffic depends on is known of them: neither their shared-memory operands nor their exponentials.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "sim/algorithms/flash2.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

void build(const ForeignKernel& kernel, const Plan& plan, Program& program) {
  Launch& launch = program.launches.add();
  launch.name = "flash2";
  launch.sram_described = false;
  Flash2Launch how{.path = Path::shared_copy};
  const ForeignCase* found = find_case(kernel, plan.problem);
  if (found != nullptr) {
    launch.threads = found->threads;
    launch.shared_bytes = found->shared_bytes;
    launch.ctas_per_sm = found->ctas_per_sm;
    launch.schedule = found->schedule;
    launch.persistent_ctas = found->persistent_ctas;
    launch.younger_cta_rate = found->younger_cta_rate;
    how.batch_before_head = found->batch_before_head;
    how.writes_lse = found->writes_lse;
    how.spills = found->spills.value_or(Spills{});
  }
  const Flash2Tensors tensors = add_flash2_tensors(plan, 4, program);
  if (!how.writes_lse) program.tensors[tensors.lse].role = Role::on_chip;
  Loop& q_tiles = build_flash2_forward(plan, tensors, how, program);
  if (found != nullptr) q_tiles.walk = found->q_walk;
}

ImpliedPlan implied_plan(const ForeignKernel& kernel, const Problem& problem) {
  if (element_bytes(problem.dtype) != 2) {
    throw UserError("--dtype", std::string(to_string(problem.dtype)),
                    fmt::format("expected bf16 or fp16: those that {} takes", kernel.full_name));
  }
  const ForeignCase* found = find_case(kernel, problem);
  if (found != nullptr) return {found->tile, Order::q_fastest, found->kv_walk};
  if (problem.mask == Mask::window) {
    throw UserError("--mask", "window",
                    fmt::format("expected full or causal: those known of {}", kernel.full_name));
  }
  std::set<std::int64_t> head_dims;
  for (const ForeignCase& each : kernel.cases) head_dims.insert(each.head_dim);
  const bool odd_v = head_dims.contains(problem.head_dim);
  throw UserError(odd_v ? "--head-dim-v" : "--head-dim",
                  fmt::format("{}", odd_v ? problem.head_dim_v : problem.head_dim),
                  fmt::format("expected {}: the head dims known of {}",
                              odd_v ? fmt::format("{}", problem.head_dim)
                                    : fmt::format("{}", fmt::join(head_dims, " or ")),
                              kernel.full_name));
}

}  // namespace

void build_flash2_fa2(const Plan& plan, Program& program) { build(foreign_kernel("fa2"), plan, program); }
void build_flash2_cudnn(const Plan& plan, Program& program) { build(foreign_kernel("cudnn"), plan, program); }

ImpliedPlan flash2_fa2_plan(const Problem& problem) { return implied_plan(foreign_kernel("fa2"), problem); }
ImpliedPlan flash2_cudnn_plan(const Problem& problem) {
  return implied_plan(foreign_kernel("cudnn"), problem);
}

}  // namespace hbmscope
