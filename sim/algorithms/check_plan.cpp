#include <fmt/format.h>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"

namespace hbmscope {

void check_plan(const Algorithm& algorithm, const Variant& variant, const Plan& plan) {
  const Takes& takes = variant.takes;
  const auto refuse = [&](const char* option, std::string_view value, const char* accepted, const char* why) {
    throw UserError(option, std::string(value),
                    fmt::format("expected {}: {} {} {}", accepted, algorithm.name, variant.name, why));
  };
  if (plan.problem.direction != Direction::forward && !takes.backward) {
    refuse("--direction", to_string(plan.problem.direction), "forward", "has no backward program");
  }
  if (plan.tile.splits != 1 && !takes.splits) {
    refuse("--splits", std::to_string(plan.tile.splits), "1", "does not split K and V");
  }
  if (plan.problem.page_size != 0 && !takes.paged) {
    refuse("--page-size", std::to_string(plan.problem.page_size), "0", "takes contiguous K and V");
  }
  if (plan.order != Order::q_fastest && !takes.head_fastest) {
    refuse("--order", to_string(plan.order), "q-fastest", "has one order only");
  }
  if (plan.kv_walk != Walk::up && !takes.kv_walks) {
    refuse("--kv-walk", to_string(plan.kv_walk), "up", "reads K and V in ascending order only");
  }
  if (plan.kv_walk != Walk::up && plan.problem.direction == Direction::backward) {
    refuse("--kv-walk", to_string(plan.kv_walk), "up", "does not walk over K and V in a backward pass alone");
  }
}

}  // namespace hbmscope
