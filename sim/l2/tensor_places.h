#pragma once

#include <cstdint>

#include "sim/l2/l2_geometry.h"
#include "sim/units.h"

namespace hbmscope {

// How many placements a prediction looks at: the fewest where they agree, the most where they do not.
inline constexpr std::size_t kFewestPlacements = 3;
inline constexpr std::size_t kMostPlacements = 15;

// Tensors start at multiples of this, as in an arena that places them at random.
inline constexpr Bytes kPlacementStep = 4 * kKiB;

// Bytes after which sets come in the same order again, but for the swaps of higher address bits.
Bytes turn_of_sets(const L2Geometry& geometry);

// An address at `next_free` or beyond for a tensor, by its number: another one for each seed. Few placements
// are to stand for all, so of kMostPlacements in a row (seeds 0 to 14, 15 to 29 …) each has its own part of
// the turn, in an order that differs from tensor to tensor (Latin hypercube sampling: McKay, Beckman, Conover
// 1979).
Bytes placed_after(Bytes next_free, int tensor, const L2Geometry& geometry, std::uint64_t seed);

}  // namespace hbmscope
