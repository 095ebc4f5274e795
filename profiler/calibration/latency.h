#pragma once

#include <cstdint>
#include <span>

namespace hbmscope {

// The cycles by which the latency of a load tells where its line was: on the asking SM's side of the L2, on
// the other side, or in DRAM only.
struct LatencyBounds {
  bool two_sides = false;
  unsigned near = 0;             // at most: on the asking SM's side
  unsigned far = 0;              // at most: on the other side; `near` where there is one side
  unsigned eviction_margin = 0;  // so much slower than the same line while it was near: no longer there
};

// From latencies of lines that the asking SM has just read itself (all near), of lines that one SM had read
// and all SMs then asked for (near and, where there are two sides, far), and of lines that nobody had read.
// Throws std::runtime_error if they overlap, which says that something else used the GPU or that its L2 works
// in another way.
LatencyBounds latency_bounds(std::span<const std::uint16_t> own, std::span<const std::uint16_t> shared,
                             std::span<const std::uint16_t> dram);

// Where the lines of these latencies were, as shares.
struct LineShares {
  double near = 0;
  double far = 0;
  double dram = 0;
};
LineShares shares_of(std::span<const std::uint16_t> cycles, const LatencyBounds& bounds);

}  // namespace hbmscope
