#include "sim/l2/tensor_places.h"

#include <algorithm>

#include "sim/l2/set_map.h"

namespace hbmscope {
namespace {

constexpr Bytes kSpan = kGiB;

std::uint64_t drawn_for(int tensor, std::uint64_t seed) {
  return mixed(seed * 31 + static_cast<std::uint64_t>(tensor));
}

// The parts' order is that of the drawn numbers.
double share_of_turn(int tensor, std::uint64_t seed) {
  const std::uint64_t first = seed - seed % kMostPlacements;
  const std::uint64_t own = drawn_for(tensor, seed);
  double below = 0;
  for (std::uint64_t other = first; other < first + kMostPlacements; ++other) {
    if (drawn_for(tensor, other) < own) ++below;
  }
  const double within = static_cast<double>(mixed(own) >> 11U) * 0x1p-53;
  return (below + within) / static_cast<double>(kMostPlacements);
}

}  // namespace

Bytes turn_of_sets(const L2Geometry& geometry) {
  return geometry.stretch_bytes * static_cast<Bytes>(geometry.groups * kStretchesOfRun);
}

Bytes placed_after(Bytes next_free, int tensor, const L2Geometry& geometry, std::uint64_t seed) {
  const Bytes turn = turn_of_sets(geometry);
  const Bytes turns = next_free / turn + 1 + drawn_for(tensor, seed) % std::max<Bytes>(kSpan / turn, 1);
  const auto within = static_cast<Bytes>(share_of_turn(tensor, seed) * static_cast<double>(turn));
  return turns * turn + within / kPlacementStep * kPlacementStep;
}

}  // namespace hbmscope
