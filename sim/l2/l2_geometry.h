#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpu.h"
#include "sim/units.h"

namespace hbmscope {

// A last-level cache as the replay sees it. SMs stand on `sides`, each with a cache of its own that they look
// up first; every line has a home. Where the homes are the sides' own caches (GH100, GA100) a line of the
// other side is then looked up there and ends up in both; where there is one side (AD102, GV100) it is the
// home; where the homes are a cache behind them (MI300X: Infinity Cache) a miss goes on to that.
//
// Sets are not simulated one by one. `stretch` consecutive bytes of memory are spread evenly over the sets of
// one group, and each group comes once in `groups` consecutive stretches, in an order that differs from one
// such window to the next. A unit is what one block of kL2BlockBytes meets of a group: an LRU list that holds
// its share of the cache.
struct L2Geometry {
  int sides = 1;
  int homes = 1;               // parts that lines are dealt to, evenly
  bool home_is_a_side = true;  // home k is the cache of side k; otherwise a cache of its own
  Bytes side_bytes = 0;        // capacity of one side's cache
  Bytes home_bytes = 0;        // of one home, where it is not a side
  Bytes stretch_bytes = 0;
  std::vector<std::int64_t> stretch_swaps;  // by bits of the number of a run of stretches (sim/l2/set_map.h)
  int groups = 1;
  Bytes dirty_bytes = 0;  // per home, evenly over its units: lines beyond that are cleaned early, and stay
  Bytes under_way_bytes = 0;  // of all homes: what is counted as written back and may not have left yet

  int caches() const { return sides + (home_is_a_side ? 0 : homes); }
  int home_cache(int home) const { return home_is_a_side ? home : sides + home; }
  Bytes capacity(int cache) const { return cache < sides ? side_bytes : home_bytes; }
  int units() const;             // per cache
  Bytes total_capacity() const;  // of all caches

  // Distinct bytes that DRAM need not be asked for again, of what SMs of all sides read, and of what one SM
  // or another reads: a line is kept near every SM that reads it, and at its home.
  Bytes shared_capacity() const;
  Bytes private_capacity() const;
};

// The largest piece of a tensor that is cached or evicted as one.
inline constexpr Bytes kL2BlockBytes = 16 * kKiB;

// From the GPU's cache levels and replay_values().
L2Geometry l2_geometry(const GpuSpec& gpu);

// The same sets, of which each holds `share` times as much.
L2Geometry of_capacity(double share, L2Geometry geometry);

}  // namespace hbmscope
