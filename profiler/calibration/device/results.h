#pragma once

// What kernels of the calibration hand to the host: read by both compilers. No include.

namespace hbmscope {

inline constexpr int kMaxWays = 32;       // a line for each lane of a warp
inline constexpr int kMaxMembers = 1024;  // of a set, in the region that is searched
inline constexpr int kReplacementTries = 8;

// The fewest lines that, once read, make an SM's next read of a target line slow. They share the target's
// set, and there are as many of them as the set has ways.
struct EvictionSet {
  unsigned near_cycles;  // of the target while it is there
  int ways;              // 0: no set of at most kMaxWays lines was found
  unsigned lines[kMaxWays];
};

// Lines that can stand in for one of an eviction set.
struct Members {
  unsigned count;  // may exceed what is stored
  unsigned lines[kMaxMembers];
};

// How often each line of an eviction set was gone after all of them had been read in order, the first once
// more, and then the target: in kReplacementTries tries.
struct Victims {
  unsigned evictions[kMaxWays];
};

// Where a CTA ran, from when to when by a clock that all SMs share, and for how many cycles of its SM.
struct CtaTimes {
  unsigned long long begin_ns;
  unsigned long long end_ns;
  unsigned sm;
  unsigned cycles;
};

// One thing that is done to a line. It is to be evicted first or last where a read says so.
struct LineUse {
  enum Kind : unsigned { kRead, kWrite, kReadFirst, kReadLast, kTime };
  unsigned line;
  Kind kind;
};

}  // namespace hbmscope
