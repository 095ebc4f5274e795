#include "sim/l2/l2_geometry.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

// Of a what-if cache that is far larger than any: more would only take time.
constexpr Bytes kMostGroups = 1024;

Bytes capacity_of(const CacheLevel& level) { return static_cast<Bytes>(level.capacity_bytes.value); }

const CacheLevel* memory_side_cache(const GpuSpec& gpu) {
  const auto found = std::find_if(gpu.caches.begin(), gpu.caches.end(),
                                  [](const CacheLevel& level) { return level.memory_side; });
  return found == gpu.caches.end() ? nullptr : &*found;
}

}  // namespace

int L2Geometry::units() const {
  return std::max(1, static_cast<int>(static_cast<Bytes>(groups) * stretch_bytes / kL2BlockBytes));
}

Bytes L2Geometry::total_capacity() const {
  const Bytes behind = home_is_a_side ? 0 : static_cast<Bytes>(homes) * home_bytes;
  return static_cast<Bytes>(sides) * side_bytes + behind;
}

Bytes L2Geometry::shared_capacity() const {
  return home_is_a_side ? side_bytes : static_cast<Bytes>(homes) * home_bytes;
}

// Of n sides, one in n reads has its home near; every other line is there twice.
Bytes L2Geometry::private_capacity() const {
  if (!home_is_a_side) return shared_capacity();
  const auto n = static_cast<Bytes>(sides);
  return n * n * side_bytes / (2 * n - 1);
}

L2Geometry l2_geometry(const GpuSpec& gpu) {
  const CacheLevel& l2 = gpu.l2();
  const ReplayValues values = replay_values(gpu);
  L2Geometry geometry;
  // Where a line may be held once only, all SMs look up in the same places: one cache for all.
  geometry.sides = l2.copies == 1 ? 1 : static_cast<int>(l2.instances);
  geometry.side_bytes = capacity_of(l2) / static_cast<Bytes>(geometry.sides);
  geometry.homes = geometry.sides;
  if (const CacheLevel* behind = memory_side_cache(gpu)) {
    geometry.home_is_a_side = false;
    geometry.homes = static_cast<int>(behind->instances);
    geometry.home_bytes = capacity_of(*behind) / static_cast<Bytes>(behind->instances);
  }
  const Bytes home = geometry.home_is_a_side ? geometry.side_bytes : geometry.home_bytes;
  geometry.stretch_bytes = values.stretch_bytes;
  // The sets of a home take way_bytes of its lines, which are dealt to all homes.
  const Bytes way_bytes = geometry.side_bytes / values.ways * static_cast<Bytes>(geometry.sides);
  geometry.groups = static_cast<int>(std::clamp<Bytes>(way_bytes / values.stretch_bytes, 1, kMostGroups));
  // Whole ways of a set are dirty (7 of 16 on an H200, where 47 % of the L2 are not written yet while more
  // and more is stored); the rest of the share is on its way to DRAM.
  const auto ways = static_cast<double>(values.ways);
  const double dirty_ways = std::floor(values.dirty_share * ways + 1e-9);
  geometry.dirty_bytes = static_cast<Bytes>(static_cast<double>(home) * dirty_ways / ways);
  geometry.under_way_bytes =
      static_cast<Bytes>(static_cast<double>(geometry.homes) * static_cast<double>(home) *
                         (values.dirty_share - dirty_ways / ways));
  return geometry;
}

}  // namespace hbmscope
