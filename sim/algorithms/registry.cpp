#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"

namespace hbmscope {

extern const Algorithm kStandard;
extern const Algorithm kStandardOnline;
extern const Algorithm kStandardMaskedDropout;
extern const Algorithm kFlash1;
extern const Algorithm kFlash2;

namespace {

const std::array<const Algorithm*, 5> kAlgorithms{&kStandard, &kStandardOnline, &kStandardMaskedDropout,
                                                  &kFlash1, &kFlash2};

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm& find_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name == name) return *algorithm;
    names.push_back(algorithm->name);
  }
  throw UserError("--algorithm", std::string(name),
                  fmt::format("expected one of {}", fmt::join(names, ", ")));
}

const Variant& find_variant(const Algorithm& algorithm, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Variant& variant : algorithm.variants) {
    if (variant.name == name) return variant;
    names.push_back(variant.name);
  }
  throw UserError("--variant", std::string(name),
                  fmt::format("expected one of {} (of {})", fmt::join(names, ", "), algorithm.name));
}

void build_program(const Algorithm& algorithm, const Variant& variant, const Plan& plan, Program& program) {
  program.algorithm = algorithm.name;
  program.problem = plan.problem;
  program.tensors.clear();
  program.tables.clear();
  program.launches.clear();
  variant.build(plan, program);
}

}  // namespace hbmscope
