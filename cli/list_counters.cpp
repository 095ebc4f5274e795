#include "cli/list_counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "cli/text_table.h"
#include "profiler/metrics.h"
#include "profiler/pass_counts.h"

namespace hbmscope {
namespace {

std::string metric_text(const MetricLookup& lookup) {
  if (lookup.sum == nullptr) return "absent: " + lookup.reason;
  return formula(*lookup.sum);
}

std::string pass_lines(std::string_view chip) {
  std::map<CounterSet, std::vector<Quantity>> sets;
  for (const QuantityInfo& quantity : quantities()) sets[quantity.set].push_back(quantity.quantity);
  std::string text;
  for (const auto& [set, members] : sets) {
    const PassCount count = count_passes(members, chip);
    text += fmt::format("{}: {}\n", to_string(set),
                        count.passes ? fmt::format("{} passes", *count.passes)
                                     : fmt::format("passes unknown: {}", count.reason));
  }
  return text;
}

}  // namespace

std::string counter_table(std::string_view gpu, std::string_view chip, bool color) {
  TextTable table({{"", "quantity", Align::left},
                   {"", "unit", Align::left},
                   {"", "set", Align::left},
                   {"", "what it counts", Align::left},
                   {"", fmt::format("metrics on {} ({})", gpu, chip), Align::left}});
  for (const QuantityInfo& quantity : quantities()) {
    table.add_row({{std::string(quantity.name)},
                   {std::string(quantity.unit)},
                   {std::string(to_string(quantity.set))},
                   {std::string(quantity.meaning)},
                   {metric_text(find_metric_sum(quantity.quantity, chip))}});
  }
  return table.text(color) + "\n" + pass_lines(chip);
}

}  // namespace hbmscope
