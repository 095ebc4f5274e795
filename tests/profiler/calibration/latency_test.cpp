#include "profiler/calibration/latency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace hbmscope {
namespace {

using Cycles = std::vector<std::uint16_t>;

// As on an H200: 260 to 330 cycles near, 420 to 500 far, more than 520 from DRAM, and a few that waited for
// something else.
Cycles drawn(std::mt19937& random, std::size_t count, int from, int to, double strays = 0.005) {
  std::uniform_int_distribution<int> cycles(from, to);
  std::bernoulli_distribution stray(strays);
  Cycles result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(static_cast<std::uint16_t>(stray(random) ? 2000 : cycles(random)));
  return result;
}

Cycles joined(Cycles one, const Cycles& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

TEST(LatencyBounds, TellNearFarAndDramApart) {
  std::mt19937 random(1);
  const Cycles near = drawn(random, 4000, 260, 330);
  const Cycles shared = joined(drawn(random, 48000, 260, 330), drawn(random, 16000, 420, 500));
  const LatencyBounds bounds = latency_bounds(near, shared, drawn(random, 4000, 530, 900));
  EXPECT_TRUE(bounds.two_sides);
  EXPECT_GT(bounds.near, 335U);
  EXPECT_LT(bounds.near, 415U);
  EXPECT_GT(bounds.far, 500U);
  EXPECT_LT(bounds.far, 540U);
  EXPECT_GT(bounds.eviction_margin, 35U);  // more than near lines differ from their own best
  EXPECT_LT(bounds.eviction_margin, 90U);  // less than the nearest far line is away
}

TEST(LatencyBounds, OneSideIsOneSide) {
  std::mt19937 random(2);
  const LatencyBounds bounds = latency_bounds(drawn(random, 4000, 200, 280), drawn(random, 64000, 200, 285),
                                              drawn(random, 4000, 450, 700));
  EXPECT_FALSE(bounds.two_sides);
  EXPECT_EQ(bounds.near, bounds.far);
  EXPECT_GT(bounds.near, 285U);
  EXPECT_LT(bounds.near, 450U);
}

TEST(LatencyBounds, RefuseWhatOverlaps) {
  std::mt19937 random(3);
  const Cycles near = drawn(random, 4000, 260, 330);
  EXPECT_THROW(latency_bounds(near, near, drawn(random, 4000, 280, 360)), std::runtime_error);
  EXPECT_THROW(latency_bounds({}, near, near), std::runtime_error);
}

TEST(LineShares, CountEveryLineOnce) {
  const LatencyBounds bounds{.two_sides = true, .near = 380, .far = 505, .eviction_margin = 60};
  const Cycles cycles{300, 380, 381, 505, 506, 60000, 299, 298};
  const LineShares shares = shares_of(cycles, bounds);
  EXPECT_DOUBLE_EQ(shares.near, 0.5);
  EXPECT_DOUBLE_EQ(shares.far, 0.25);
  EXPECT_DOUBLE_EQ(shares.dram, 0.25);
  EXPECT_THROW(shares_of({}, bounds), std::runtime_error);
}

}  // namespace hbmscope
