#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbmscope {

// How each run of rows of a region is swapped, by its number in the region; kNoSwap where nobody knows.
using Swaps = std::vector<int>;
inline constexpr int kNoSwap = -1;

// What each bit of a run's number swaps, where `before` runs lie before the region's first; and the share of
// the pairs of runs that differ in one bit which are swapped otherwise.
struct BitEffects {
  std::vector<std::int64_t> swaps;
  std::size_t before = 0;
  double other = 0;
};

// The exclusive or of `swaps` over the bits of a run's number.
int swap_by(const std::vector<std::int64_t>& swaps, std::size_t run);

// Bits beyond those in which the region's runs differ stay unknown, and what the highest of those do can be
// told in several ways: of those that explain about as much, the one with the fewest runs before.
BitEffects best_effects(const Swaps& swaps);

// What bits beyond those swap in most runs.
int farther_swap(const Swaps& swaps, const BitEffects& effects);

// Share of the runs, of those that are known, that are swapped otherwise.
double other_share(const Swaps& swaps, const BitEffects& effects, int farther_swap);

}  // namespace hbmscope
