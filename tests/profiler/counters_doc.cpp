#include "tests/profiler/counters_doc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hbmscope {
namespace {

std::string names_of(std::uint32_t families) {
  std::vector<std::string_view> names;
  for (const ChipFamily& family : chip_families()) {
    if ((families & family.bit) != 0) names.push_back(family.name);
  }
  return names.size() == chip_families().size() ? "all" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string read_counters_doc() {
  std::ifstream file("docs/counters.md");
  if (!file) throw std::runtime_error("docs/counters.md cannot be read; run from the repository's root");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> metric_rows() {
  std::vector<std::string> rows;
  for (const QuantityInfo& row : quantities()) {
    for (const MetricSum& sum : metric_sums()) {
      if (sum.quantity != row.quantity) continue;
      rows.push_back(fmt::format("| {} | {} | {} | {} | `{}` |", row.name, row.unit, to_string(row.set),
                                 names_of(sum.families), formula(sum)));
    }
    for (const MetricAbsence& absence : metric_absences()) {
      if (absence.quantity != row.quantity) continue;
      rows.push_back(
          fmt::format("| {} | | | {} | absent: {} |", row.name, names_of(absence.families), absence.reason));
    }
  }
  return rows;
}

std::string pass_row(const ChipFamily& family, std::span<const std::size_t> passes) {
  return fmt::format("| {} | {} | {} |", family.name, family.gpus, fmt::join(passes, " | "));
}

}  // namespace hbmscope
