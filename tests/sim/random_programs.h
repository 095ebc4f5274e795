#pragma once

#include <rapidcheck.h>

#include <ostream>
#include <string>

#include "sim/algorithms/algorithm.h"
#include "tests/sim/programs/programs.h"

// Random small points and the programs that every builder makes of them.
namespace hbmscope {

void showValue(const Plan& plan, std::ostream& out);  // the name that rapidcheck looks for

}  // namespace hbmscope

namespace hbmscope::test {

// Any shape and tile: heads grouped or not, lengths ragged and unequal, 1-, 2- and 4-byte types, every mask,
// direction and order.
rc::Gen<Plan> any_plan();

// The plan without what the variant does not take.
Plan taken_of(const Variant& variant, Plan plan);

// A way to make a program: a registered variant, which gets what it takes of a plan, or one of the tests'
// own.
struct Builder {
  std::string name;
  BuiltProgram (*build)(const Plan& plan) = nullptr;
  const Algorithm* algorithm = nullptr;  // of a registered one
  const Variant* variant = nullptr;

  BuiltProgram operator()(const Plan& plan) const;
};
std::vector<Builder> all_builders();
void PrintTo(const Builder& builder, std::ostream* out);  // the name that GoogleTest looks for

}  // namespace hbmscope::test
