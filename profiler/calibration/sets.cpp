#include "profiler/calibration/sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "profiler/statistics.h"
#include "sim/l2/l2_geometry.h"

namespace hbmscope {
namespace {

constexpr Bytes kLineBytes = 128;

}  // namespace

int ways_of(std::span<const int> eviction_sets) {
  std::map<int, int> counts;
  int found = 0;
  for (const int ways : eviction_sets) {
    if (ways == 0) continue;
    ++counts[ways];
    ++found;
  }
  for (const auto& [ways, count] : counts) {
    if (2 * count > found) return ways;
  }
  throw std::runtime_error(
      fmt::format("{} of {} searches found an eviction set, and no size of it is that of "
                  "more than half of them",
                  found, eviction_sets.size()));
}

double sets_of_side(std::span<const double> sets_implied, Bytes capacity, int sides, int ways) {
  const std::optional<double> middle = median(sets_implied);
  if (!middle) throw std::runtime_error("no members of a set were found");
  const double expected = static_cast<double>(capacity) / (static_cast<double>(sides * ways) * kLineBytes);
  if (std::abs(*middle / expected - 1) > 0.1) {
    throw std::runtime_error(
        fmt::format("members of a set imply {:.0f} sets on a side, {} MiB in {} ways {:.0f}", *middle,
                    capacity / kMiB, ways, expected));
  }
  return *middle;
}

Bytes stretch_of(Bytes capacity, int ways) {
  const Bytes window = capacity / static_cast<Bytes>(ways);
  const Bytes power_of_two = window & (~window + 1);
  if (power_of_two < kL2BlockBytes) {
    throw std::runtime_error(fmt::format("{} bytes in {} ways: no power of two of at least {} bytes is in {}",
                                         capacity, ways, kL2BlockBytes, window));
  }
  return power_of_two;
}

double share_of_whole_stretches(std::span<const std::uint32_t> members, Bytes stretch_bytes, int sides) {
  std::map<Bytes, int> held;
  for (const std::uint32_t line : members) ++held[line * kLineBytes / stretch_bytes];
  if (held.empty()) return 0;
  const auto whole =
      std::ranges::count_if(held, [&](const auto& stretch) { return stretch.second == sides; });
  return static_cast<double>(whole) / static_cast<double>(held.size());
}

std::string replacement_of(std::span<const unsigned> evictions, unsigned tries) {
  const unsigned all = std::accumulate(evictions.begin(), evictions.end(), 0U);
  if (2 * all < tries) {
    throw std::runtime_error(
        fmt::format("reading one line more than a set holds evicted {} lines in {} tries at each of {} "
                    "positions: expected one of them in about every try",
                    all, tries, evictions.size()));
  }
  const auto only = [&](std::size_t victim) {
    for (std::size_t line = 0; line < evictions.size(); ++line) {
      const unsigned expected = line == victim ? tries : 0;
      const unsigned off = std::max(evictions[line], expected) - std::min(evictions[line], expected);
      if (4 * off > tries) return false;
    }
    return evictions.size() > victim;
  };
  return only(1) ? "LRU" : only(0) ? "FIFO" : "other";
}

int dirty_ways_of(const std::vector<bool>& first_is_dirty) {
  const auto limit = std::ranges::find(first_is_dirty, false);
  if (limit == first_is_dirty.begin() || limit == first_is_dirty.end() ||
      std::find(limit, first_is_dirty.end(), true) != first_is_dirty.end()) {
    throw std::runtime_error("no number of written lines from which on the first is written back");
  }
  return static_cast<int>(limit - first_is_dirty.begin());
}

}  // namespace hbmscope
