#include "profiler/pass_counts.h"

#include <vector>

#include "profiler/cupti_host.h"
#include "profiler/cupti_library.h"
#include "sim/error.h"

namespace hbmscope {

PassCount count_passes(std::span<const Quantity> quantities, std::string_view chip) {
  std::vector<std::string> metrics;
  std::string reason;
  for (const Quantity quantity : quantities) {
    const MetricLookup lookup = find_metric_sum(quantity, chip);
    if (lookup.sum == nullptr) {
      reason = lookup.reason;
      continue;
    }
    for (const std::string& metric : metric_names(*lookup.sum)) metrics.push_back(metric);
  }
  if (metrics.empty()) return {std::nullopt, reason};
  try {
    return {CuptiHost(std::string(chip)).plan(metrics).passes(), ""};
  } catch (const UserError& error) {
    return {std::nullopt, error.what()};
  } catch (const CounterError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace hbmscope
