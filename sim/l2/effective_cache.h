#pragma once

#include "sim/l2/l2_geometry.h"

namespace hbmscope {

// The caches of a GPU as one that a side fills: what the closed form compares reuse distances with.
struct EffectiveCache {
  double capacity = 0;  // bytes of one side; of all homes where they are a cache behind the sides
  double single = 1;    // bytes a side holds, on average, of a byte that one SM touches; shared by all: 1
  double dirty = 0;     // dirty bytes that stay
  double dirty_deviation = 0;  // of the dirty limit: how unevenly sets fill with dirty lines
  double window = 0;           // bytes of memory that meet every group of sets once
  double stretch_load = 0;     // share of a side's group that one stretch of memory fills
};

EffectiveCache effective_cache(const L2Geometry& geometry);

// Sets fill unevenly, so that the first overflow before the cache is full and the last after: those that have
// overflowed when `distance` bytes were touched are t² (3 − 2t), t from 0 to 1 between capacity (1 − spread)
// and capacity (1 + spread). This is its integral.
double overflow(double distance, double capacity, double spread);

// Of one buffer, or a few.
inline constexpr double kEvenSpread = 0.2;

// Share of accesses that miss if their reuse distances spread evenly from `from` to `to`.
double missing_share(double from, double to, double capacity, double spread = kEvenSpread);

// Standard deviation of how full sets are, as a share of their lines. One or two tensors that end anywhere in
// a window would give this, the root of 1 / 6 each, of the 8 windows that fill a set. Of 0.06 to 0.09 those
// from 0.06 to 0.065 leave 95 % of flash1's points within 15 % of the replay.
inline constexpr double kSetDeviation = 0.065;
// The same of dirty lines, if as many of them stayed as the cache has lines; of 0.07, 0.08, 0.088 and 0.096.
inline constexpr double kDirtyDeviation = 0.08;

// The same for one distance, with the tail of a normal distribution: for what is touched hundreds of times,
// so that a few sets that overflow early count.
double overflowing_share(double distance, double capacity, double deviation = kSetDeviation);

// The same for distances that are the sum of two even spreads around a mean.
double missing_share_of_sum(double mean, double one, double other, double capacity);

}  // namespace hbmscope
