// flash2, variants fa2, fa3 and cudnn: kernels that others built, described in configs/kernels/. Only what
// their traffic depends on is known of them: neither their shared-memory operands nor their exponentials.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "sim/algorithms/flash2.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// One query of every sequence: the query heads of a KV head become its rows, and all keys are seen.
Plan packed(Plan plan) {
  Problem& problem = plan.problem;
  problem.seqlen_q = problem.group();
  problem.heads = problem.kv_heads;
  problem.mask = Mask::full;
  return plan;
}

// What is known of a kernel becomes that of its launch.
Flash2Launch describe(const ForeignCase& described, const Problem& problem, Launch& launch) {
  launch.threads = described.threads;
  launch.shared_bytes = described.shared_bytes;
  launch.ctas_per_sm = described.ctas_per_sm;
  launch.schedule = described.schedule;
  launch.persistent_ctas = described.persistent_ctas;
  launch.younger_cta_rate = described.younger_cta_rate;
  launch.gpc_clock_deviation = described.gpc_clock_deviation;
  return {.path = Path::shared_copy,
          .batch_before_head = described.batch_before_head,
          .heads_of_section = heads_of_section(described, problem),
          .q_hint = described.q_hint,
          .kv_hint = described.kv_hint,
          .writes_lse = described.writes_lse,
          .spills = described.spills.value_or(Spills{})};
}

void build(const ForeignKernel& kernel, const Plan& asked, Program& program) {
  Launch& launch = program.launches.add();
  launch.name = "flash2";
  launch.sram_described = false;
  const ForeignCase* found = find_case(kernel, asked.problem);
  if (found == nullptr) {  // refused by check_plan
    build_flash2_forward(asked, add_flash2_tensors(asked, 4, program), {}, program);
    return;
  }
  const Plan plan = found->one_query ? packed(asked) : asked;
  const Flash2Launch how = describe(*found, plan.problem, launch);
  Flash2Tensors tensors = add_flash2_tensors(plan, 4, program);
  if (!how.writes_lse) program.tensors[tensors.lse].role = Role::on_chip;
  if (found->split) add_flash2_partials(plan, found->split->stats, tensors, program);
  build_flash2_forward(plan, tensors, how, program).walk = found->q_walk;
  if (found->split) {
    build_flash2_combine(plan, tensors, found->split->combine_rows, how.writes_lse, program);
  }
}

ImpliedPlan implied_plan(const ForeignKernel& kernel, const Problem& problem) {
  if (element_bytes(problem.dtype) != 2) {
    throw UserError("--dtype", std::string(to_string(problem.dtype)),
                    fmt::format("expected bf16 or fp16: those that {} takes", kernel.full_name));
  }
  const ForeignCase* found = find_case(kernel, problem);
  if (found != nullptr) {
    Tile tile = found->tile;
    tile.splits = splits_of(*found, problem);
    return {tile, found->section_bytes ? Order::head_fastest : Order::q_fastest, found->kv_walk};
  }
  if (problem.mask == Mask::window) {
    throw UserError("--mask", "window",
                    fmt::format("expected full or causal: those known of {}", kernel.full_name));
  }
  std::set<std::int64_t> head_dims;
  const bool one_query = problem.seqlen_q == 1;
  for (const ForeignCase& each : kernel.cases) {
    if (each.one_query == one_query) head_dims.insert(each.head_dim);
  }
  if (head_dims.empty()) {
    throw UserError("--seqlen-q", fmt::format("{}", problem.seqlen_q),
                    fmt::format("expected 2 or more: {} is not described for one query", kernel.full_name));
  }
  const bool odd_v = head_dims.contains(problem.head_dim);
  throw UserError(odd_v ? "--head-dim-v" : "--head-dim",
                  fmt::format("{}", odd_v ? problem.head_dim_v : problem.head_dim),
                  fmt::format("expected {}: the head dims known of {}{}",
                              odd_v ? fmt::format("{}", problem.head_dim)
                                    : fmt::format("{}", fmt::join(head_dims, " or ")),
                              kernel.full_name, one_query ? " for one query" : ""));
}

}  // namespace

void build_flash2_fa2(const Plan& plan, Program& program) { build(foreign_kernel("fa2"), plan, program); }
void build_flash2_cudnn(const Plan& plan, Program& program) { build(foreign_kernel("cudnn"), plan, program); }
void build_flash2_fa3(const Plan& plan, Program& program) { build(foreign_kernel("fa3"), plan, program); }

ImpliedPlan flash2_fa2_plan(const Problem& problem) { return implied_plan(foreign_kernel("fa2"), problem); }
ImpliedPlan flash2_cudnn_plan(const Problem& problem) {
  return implied_plan(foreign_kernel("cudnn"), problem);
}

ImpliedPlan flash2_fa3_plan(const Problem& problem) { return implied_plan(foreign_kernel("fa3"), problem); }

std::string flash2_fa2_note(const Problem& problem, const GpuSpec& gpu) {
  return foreign_note(foreign_kernel("fa2"), problem, gpu);
}
std::string flash2_cudnn_note(const Problem& problem, const GpuSpec& gpu) {
  return foreign_note(foreign_kernel("cudnn"), problem, gpu);
}
std::string flash2_fa3_note(const Problem& problem, const GpuSpec& gpu) {
  return foreign_note(foreign_kernel("fa3"), problem, gpu);
}

}  // namespace hbmscope
