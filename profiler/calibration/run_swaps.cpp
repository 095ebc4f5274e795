#include "profiler/calibration/run_swaps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "profiler/calibration/rows.h"

namespace hbmscope {
namespace {

BitEffects bit_effects(const Swaps& swaps, std::size_t before) {
  BitEffects effects{.swaps = {}, .before = before, .other = 1};
  std::int64_t all_pairs = 0;
  std::int64_t other = 0;
  for (std::size_t bit = 1; bit < swaps.size(); bit *= 2) {
    std::array<std::int64_t, kRowsOfRun> counts{};
    for (std::size_t run = 0; run + bit < swaps.size(); ++run) {
      if (((run + before) & bit) != 0 || swaps[run] == kNoSwap || swaps[run + bit] == kNoSwap) continue;
      ++counts.at(static_cast<std::size_t>(swaps[run] ^ swaps[run + bit]));
    }
    const std::int64_t pairs = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (pairs == 0) break;
    const auto most = std::ranges::max_element(counts);
    effects.swaps.push_back(most - counts.begin());
    all_pairs += pairs;
    other += pairs - *most;
  }
  if (all_pairs > 0) effects.other = static_cast<double>(other) / static_cast<double>(all_pairs);
  return effects;
}

// How many runs are swapped by what on top of the effects.
std::array<int, kRowsOfRun> farther_swaps(const Swaps& swaps, const BitEffects& effects) {
  std::array<int, kRowsOfRun> counts{};
  for (std::size_t run = 0; run < swaps.size(); ++run) {
    if (swaps[run] == kNoSwap) continue;
    ++counts.at(static_cast<std::size_t>(swaps[run] ^ swap_by(effects.swaps, run + effects.before)));
  }
  return counts;
}

}  // namespace

int swap_by(const std::vector<std::int64_t>& swaps, std::size_t run) {
  std::int64_t swap = 0;
  for (std::size_t bit = 0; bit < swaps.size(); ++bit) {
    if ((run >> bit & 1U) != 0) swap ^= swaps[bit];
  }
  return static_cast<int>(swap);
}

BitEffects best_effects(const Swaps& swaps) {
  std::vector<BitEffects> all;
  double least = 1;
  for (std::size_t before = 0; before < std::bit_ceil(swaps.size()); ++before) {
    all.push_back(bit_effects(swaps, before));
    least = std::min(least, all.back().other);
  }
  return *std::ranges::find_if(all,
                               [&](const BitEffects& each) { return each.other <= 1.1 * least + 0.001; });
}

int farther_swap(const Swaps& swaps, const BitEffects& effects) {
  const auto counts = farther_swaps(swaps, effects);
  return static_cast<int>(std::ranges::max_element(counts) - counts.begin());
}

double other_share(const Swaps& swaps, const BitEffects& effects, int farther_swap) {
  const auto counts = farther_swaps(swaps, effects);
  const int known = std::accumulate(counts.begin(), counts.end(), 0);
  if (known == 0) return 1;
  return 1 - static_cast<double>(counts.at(static_cast<std::size_t>(farther_swap))) / known;
}

}  // namespace hbmscope
