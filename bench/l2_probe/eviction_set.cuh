#pragma once

// Eviction sets: the fewest lines that, once read, make an SM's next read of a target line slow. They share
// the target's set, and there are as many of them as the set has ways.

#include "bench/l2_probe/lines.cuh"

namespace hbmscope {

inline constexpr int kMaxWays = 32;  // a line for each lane of a warp

struct EvictionSet {
  unsigned near_cycles;  // of the target while it is there
  int ways;              // 0: no set of at most kMaxWays lines was found
  unsigned lines[kMaxWays];
};

// The shortest of a few reads of a line that has just been read.
__device__ inline unsigned near_cycles(const char* address) {
  keep(load(address));
  unsigned shortest = timed_load(address);
  for (int i = 0; i < 8; ++i) shortest = min(shortest, timed_load(address));
  return shortest;
}

// Finds one in the candidates (Turn, all lines, candidates, their number, target), which it reorders. One
// CTA.
__global__ void find_eviction_set(Turn turn, const char* lines, unsigned* candidates, int count,
                                  unsigned target, EvictionSet* result);

}  // namespace hbmscope
