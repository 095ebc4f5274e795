#include "profiler/calibration/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace hbmscope {
namespace {

// What lies beyond the lines of the own side by this share is another place.
constexpr double kApart = 0.12;
// A quarter of shared lines is far where there are two sides: half of the lines for half of the SMs.
constexpr double kFewFar = 0.05;

using Sorted = std::vector<std::uint16_t>;

Sorted sorted(std::span<const std::uint16_t> cycles) {
  Sorted copy(cycles.begin(), cycles.end());
  std::ranges::sort(copy);
  return copy;
}

double percentile(const Sorted& cycles, double share) {
  return cycles[static_cast<std::size_t>(share * static_cast<double>(cycles.size() - 1))];
}

// Half way between two places, or an error if they overlap.
unsigned between(double one, double other, const char* one_name, const char* other_name) {
  if (one >= other) {
    throw std::runtime_error(
        fmt::format("latencies of lines {} (up to {:.0f} cycles) and {} (from {:.0f}) overlap; "
                    "is the GPU in use?",
                    one_name, one, other_name, other));
  }
  return static_cast<unsigned>((one + other) / 2);
}

}  // namespace

LatencyBounds latency_bounds(std::span<const std::uint16_t> own, std::span<const std::uint16_t> shared,
                             std::span<const std::uint16_t> dram) {
  if (own.empty() || shared.empty() || dram.empty()) throw std::runtime_error("no latencies were measured");
  const Sorted near = sorted(own);
  const Sorted from_dram = sorted(dram);
  const double near_most = percentile(near, 0.98);
  Sorted far = sorted(shared);
  far.erase(far.begin(), std::ranges::upper_bound(far, near_most * (1 + kApart)));
  LatencyBounds bounds;
  bounds.two_sides = static_cast<double>(far.size()) > kFewFar * static_cast<double>(shared.size());
  const double next = bounds.two_sides ? percentile(far, 0.05) : percentile(from_dram, 0.05);
  bounds.near = between(near_most, next, "near", bounds.two_sides ? "far" : "in DRAM");
  bounds.far = bounds.two_sides
                   ? between(percentile(far, 0.95), percentile(from_dram, 0.05), "far", "in DRAM")
                   : bounds.near;
  bounds.eviction_margin = static_cast<unsigned>(0.4 * (next - percentile(near, 0.5)));
  return bounds;
}

LineShares shares_of(std::span<const std::uint16_t> cycles, const LatencyBounds& bounds) {
  if (cycles.empty()) throw std::runtime_error("no latencies were measured");
  std::size_t near = 0;
  std::size_t far = 0;
  for (const unsigned each : cycles) {
    if (each <= bounds.near) {
      ++near;
    } else if (each <= bounds.far) {
      ++far;
    }
  }
  const auto all = static_cast<double>(cycles.size());
  return {static_cast<double>(near) / all, static_cast<double>(far) / all,
          static_cast<double>(cycles.size() - near - far) / all};
}

}  // namespace hbmscope
