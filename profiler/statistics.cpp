#include "profiler/statistics.h"

#include <algorithm>
#include <vector>

namespace hbmscope {

std::optional<double> median(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

std::optional<double> spread(std::span<const double> values) {
  const std::optional<double> middle = median(values);
  if (values.size() < 2 || !middle || *middle == 0) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(values);
  return (most - least) / *middle;
}

}  // namespace hbmscope
