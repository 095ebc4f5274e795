#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// "", or which other variants of the algorithm take it.
std::string alternatives(const Algorithm& algorithm, bool Takes::*taken) {
  std::vector<std::string_view> names;
  for (const Variant& variant : algorithm.variants) {
    if (variant.takes.*taken) names.push_back(variant.name);
  }
  return names.empty() ? "" : fmt::format("; --variant {} does", fmt::join(names, " or "));
}

void check_implied(const Variant& variant, const Plan& plan) {
  const ImpliedPlan implied = variant.implied(plan.problem);
  const auto check = [&](const char* option, const auto& value, const auto& expected) {
    if (value == expected) return;
    throw UserError(option, fmt::format("{}", value),
                    fmt::format("expected {}: --variant {} implies it", expected, variant.name));
  };
  check("--br", plan.tile.br, implied.tile.br);
  check("--bc", plan.tile.bc, implied.tile.bc);
  check("--stages", plan.tile.stages, implied.tile.stages);
  check("--splits", plan.tile.splits, implied.tile.splits);
  check("--order", to_string(plan.order), to_string(implied.order));
  check("--kv-walk", to_string(plan.kv_walk), to_string(implied.kv_walk));
}

}  // namespace

void check_plan(const Algorithm& algorithm, const Variant& variant, const Plan& plan) {
  const Takes& takes = variant.takes;
  const auto refuse = [&](const char* option, std::string_view value, const char* accepted, const char* why,
                          bool Takes::*taken = nullptr) {
    throw UserError(option, std::string(value),
                    fmt::format("expected {}: {} {} {}{}", accepted, algorithm.name, variant.name, why,
                                taken == nullptr ? "" : alternatives(algorithm, taken)));
  };
  if (plan.problem.direction != Direction::forward && !takes.backward) {
    refuse("--direction", to_string(plan.problem.direction), "forward", "describes no backward pass",
           &Takes::backward);
  }
  if (plan.tile.splits != 1 && !takes.splits) {
    refuse("--splits", std::to_string(plan.tile.splits), "1", "does not split K and V", &Takes::splits);
  }
  if (plan.problem.page_size != 0 && !takes.paged) {
    refuse("--page-size", std::to_string(plan.problem.page_size), "0", "does not take paged K and V",
           &Takes::paged);
  }
  if (plan.order != Order::q_fastest && !takes.head_fastest) {
    refuse("--order", to_string(plan.order), "q-fastest", "does not take other orders", &Takes::head_fastest);
  }
  if (plan.kv_walk != Walk::up && !takes.kv_walks) {
    refuse("--kv-walk", to_string(plan.kv_walk), "up", "does not take other walks", &Takes::kv_walks);
  }
  if (plan.kv_walk != Walk::up && plan.problem.direction == Direction::backward) {
    refuse("--kv-walk", to_string(plan.kv_walk), "up", "does not walk over K and V in a backward pass alone");
  }
  if (variant.implied != nullptr) check_implied(variant, plan);
}

}  // namespace hbmscope
