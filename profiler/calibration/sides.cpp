#include "profiler/calibration/sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

namespace hbmscope {
namespace {

constexpr int kFirstAddressBit = 7;  // of a line of 128 bytes

// How much more often than not values[i] (1, -1 or 0) is the parity of i & mask, for every mask: the
// Walsh-Hadamard transform.
std::vector<int> agreements(std::vector<int> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((i & half) != 0) continue;
      const int even = values[i];
      const int odd = values[i + half];
      values[i] = even + odd;
      values[i + half] = even - odd;
    }
  }
  return values;
}

std::map<int, std::size_t> positions_of(const SmOrder& order) {
  std::map<int, std::size_t> positions;
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  return positions;
}

// Where runs begin in the full order. In `few` the first run keeps both SMs of its TPCs and the others one;
// the next SM of a run is at most two places further on.
std::set<std::size_t> run_starts(const SmOrder& few, const std::map<int, std::size_t>& positions) {
  std::set<std::size_t> launched;
  for (const int sm : few) launched.insert(positions.at(sm));
  std::set<std::size_t> starts{0};
  bool in_first = true;
  std::size_t last = 0;
  for (const std::size_t place : launched) {
    const bool whole_tpc = launched.contains(place ^ 1U);
    if ((in_first && !whole_tpc) || place > last + 2) {
      starts.insert(place - place % 2);
      in_first = false;
    }
    last = place;
  }
  return starts;
}

}  // namespace

std::vector<int> sides_of(std::span<const double> far_shares) {
  std::vector<int> sides;
  for (const double share : far_shares) {
    if ((share > 0.15 && share < 0.35) || share > 0.65) {
      throw std::runtime_error(
          fmt::format("{:.0f} % of the lines are far from SM {}: expected none, or half of them on the other "
                      "of two sides",
                      100 * share, sides.size()));
    }
    sides.push_back(share > 0.25 ? 1 : 0);
  }
  return sides;
}

HomeRule home_rule(std::vector<int> home) {
  HomeRule rule;
  rule.lines = home.size() - static_cast<std::size_t>(std::ranges::count(home, 0));
  const std::vector<int> agreement = agreements(std::move(home));
  const auto best =
      std::ranges::max_element(agreement, {}, [](int difference) { return std::abs(difference); });
  auto mask = static_cast<std::size_t>(best - agreement.begin());
  for (int bit = kFirstAddressBit; mask != 0; mask /= 2, ++bit) {
    if (mask % 2 != 0) rule.address_bits.push_back(bit);
  }
  if (rule.lines > 0) rule.share_explained = (1 + std::abs(*best) / static_cast<double>(rule.lines)) / 2;
  return rule;
}

std::string text_of(const HomeRule& rule) {
  if (rule.share_explained < 0.99 || rule.address_bits.empty()) {
    throw std::runtime_error(fmt::format("the best parity of address bits explains {:.1f} % of the homes",
                                         100 * rule.share_explained));
  }
  return fmt::format("parity of address bits {}", fmt::join(rule.address_bits, ", "));
}

int copies_of(const LineShares& seen_from_a, const LineShares& seen_from_b) {
  const double near = std::min(seen_from_a.near, seen_from_b.near);
  if (near > 0.95) return 2;
  const bool halves = std::abs(seen_from_a.near - 0.5) < 0.15 && std::abs(seen_from_b.near - 0.5) < 0.15;
  if (halves && seen_from_a.dram < 0.05 && seen_from_b.dram < 0.05) return 1;
  throw std::runtime_error(
      fmt::format("of lines that all SMs have read, {:.0f} % and {:.0f} % are near: expected "
                  "all where both sides keep them, half where one does",
                  100 * seen_from_a.near, 100 * seen_from_b.near));
}

std::vector<SmRun> sm_runs_of(const SmOrder& full, const SmOrder& few, std::span<const int> sides) {
  const std::map<int, std::size_t> positions = positions_of(full);
  if (full.size() != sides.size() || positions.size() != full.size())
    throw std::runtime_error(
        fmt::format("{} CTAs came to {} of {} SMs", full.size(), positions.size(), sides.size()));
  std::set<std::size_t> starts = run_starts(few, positions);
  starts.insert(full.size());
  std::vector<SmRun> runs;
  for (auto start = starts.begin(); std::next(start) != starts.end(); ++start) {
    const std::size_t end = *std::next(start);
    std::int64_t on_one = 0;
    for (std::size_t i = *start; i < end; ++i) on_one += sides[static_cast<std::size_t>(full[i])];
    const auto size = static_cast<std::int64_t>(end - *start);
    runs.push_back({.sms = size, .side = 2 * on_one > size ? 1 : 0});
  }
  return runs;
}

}  // namespace hbmscope
