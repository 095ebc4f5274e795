#include "sim/l2/l2_geometry.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

// Of a what-if cache that is far larger than any: more would only take time.
constexpr Bytes kMostGroups = 1024;

Bytes capacity_of(const CacheLevel& level) {
  return static_cast<Bytes>(level.reached_bytes.value_or(level.capacity_bytes).value);
}

const CacheLevel* memory_side_cache(const GpuSpec& gpu) {
  const auto found = std::find_if(gpu.caches.begin(), gpu.caches.end(),
                                  [](const CacheLevel& level) { return level.memory_side; });
  return found == gpu.caches.end() ? nullptr : &*found;
}

// Of the caches in which lines have their homes, whether lines reach all of it or not.
double homes_capacity(const GpuSpec& gpu) {
  const CacheLevel* behind = memory_side_cache(gpu);
  return (behind != nullptr ? *behind : gpu.l2()).capacity_bytes.value;
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
  // The sets of a home take way_bytes of its lines, which are dealt to all homes; a stretch of a small cache
  // meets them all.
  const Bytes way_bytes = geometry.side_bytes / values.ways * static_cast<Bytes>(geometry.sides);
  const Bytes way_blocks = std::max<Bytes>(way_bytes / kL2BlockBytes, 1);
  geometry.stretch_bytes = std::min(values.stretch_bytes, way_blocks * kL2BlockBytes);
  geometry.stretch_swaps = values.stretch_swaps;
  geometry.groups = static_cast<int>(std::clamp<Bytes>(way_bytes / geometry.stretch_bytes, 1, kMostGroups));
  // Whole ways of a set are dirty (7 of 16 on an H200, where 47 % of the L2 are not written yet while more
  // and more is stored); the rest of the share is on its way to DRAM.
  const auto homes = static_cast<double>(geometry.homes);
  const auto ways = static_cast<double>(values.ways);
  const double dirty = values.dirty_share * homes_capacity(gpu);
  const double homes_bytes = std::max(homes * static_cast<double>(home), 1.0);
  const double dirty_ways = std::min(ways, std::floor(dirty / homes_bytes * ways + 1e-9));
  geometry.dirty_bytes = static_cast<Bytes>(static_cast<double>(home) * dirty_ways / ways);
  geometry.under_way_bytes =
      static_cast<Bytes>(std::max(0.0, dirty - homes * static_cast<double>(geometry.dirty_bytes)));
  return geometry;
}

L2Geometry of_capacity(double share, L2Geometry geometry) {
  for (Bytes* bytes : {&geometry.side_bytes, &geometry.home_bytes, &geometry.dirty_bytes}) {
    *bytes = static_cast<Bytes>(share * static_cast<double>(*bytes));
  }
  return geometry;
}

}  // namespace hbmscope
