#include "sim/cta_rates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hbmscope {
namespace {

// As many as three: alone a CTA goes twice as fast, and waits for DRAM half of the time that a step takes
// then.
constexpr CtaRates kOfThree{.younger = 0.9,
                            .further = 0.8,
                            .lone = 2,
                            .stall = 0.5,
                            .shared_stall = {0.05, 0.1, 0.4},
                            .ctas_per_sm = 3};
constexpr double kShared = 0.05;

}  // namespace

TEST(CtaRates, EachFurtherCtaMakesAStepLongerByTheSameTime) {
  EXPECT_DOUBLE_EQ(kOfThree.speed(1, 0), 2);
  EXPECT_DOUBLE_EQ(1 / kOfThree.speed(2, 0), 0.75);
  EXPECT_DOUBLE_EQ(kOfThree.speed(3, 0), 1);
  EXPECT_DOUBLE_EQ(1 / kOfThree.speed(4, 0), 1.25);
  EXPECT_DOUBLE_EQ(kOfThree.speed(3, 2), 0.9 * 0.8);
  EXPECT_DOUBLE_EQ(kOfThree.speed(2, 1), 0.9 / 0.75);
}

// In bytes of the oldest of three: what a lone CTA moves in half of its step is a quarter.
TEST(CtaRates, TheLongerAStepTheLessIsLeftToWaitFor) {
  EXPECT_NEAR(kOfThree.stall_of(1, 0, kShared), 0.25, 1e-12);
  EXPECT_NEAR(kOfThree.stall_of(3, 0, kShared), 0.05, 1e-12);
  EXPECT_NEAR(kOfThree.stall_of(2, 0, kShared), std::sqrt(0.25 * 0.05), 1e-12);  // halfway
  EXPECT_NEAR(kOfThree.stall_of(3, 1, kShared), 0.05 * std::pow(0.2, (1 / 0.9 - 1) / 0.5), 1e-12);
  EXPECT_LT(kOfThree.stall_of(3, 2, kShared), kOfThree.stall_of(3, 1, kShared));
}

// Two slots ask for a tile a step earlier; a tile of twice as many keys comes with twice the bytes.
TEST(CtaRates, SlotsAndLargerTilesHideMore) {
  CtaRates rates = kOfThree;
  rates.stages = 2;
  EXPECT_NEAR(rates.stall_of(3, 0, kShared), 0.05 * 0.2 * 0.2, 1e-12);
  rates.stages = 1;
  rates.tiles = 2;
  EXPECT_NEAR(rates.stall_of(3, 0, kShared), 0.05 * 0.2 * 0.2 / 2, 1e-12);
}

// A quarter of the keys: a step is shorter than any that was measured, and waits as long as a lone CTA's for
// a quarter of the bytes.
TEST(CtaRates, NoStepWaitsLongerThanALoneCtas) {
  CtaRates rates = kOfThree;
  rates.tiles = 0.25;
  EXPECT_NEAR(rates.stall_of(3, 0, kShared), 4 * 0.25, 1e-12);
  EXPECT_NEAR(rates.stall_of(3, 0, 1e-6), 4 * 0.25, 1e-12);
}

TEST(CtaRates, LoneCtasWaitTheLongerTheMoreLoad) {
  EXPECT_EQ(kOfThree.stall_beside(0.2), 0.5);  // not told apart
  CtaRates rates = kOfThree;
  rates.quiet_stall = 0.1;
  EXPECT_DOUBLE_EQ(rates.stall_beside(kQuietShare), 0.1);  // as measured
  EXPECT_DOUBLE_EQ(rates.stall_beside(0.01), 0.1);
  EXPECT_DOUBLE_EQ(rates.stall_beside((1 + kQuietShare) / 2), 0.3);
  EXPECT_DOUBLE_EQ(rates.stall_beside(1), 0.5);
  EXPECT_DOUBLE_EQ(rates.stall_beside(3), 0.5);  // several on an SM
}

// Kernels of which only lone CTAs were seen to wait.
TEST(CtaRates, WithoutASharedStallOnlyLoneCtasWait) {
  CtaRates rates = kOfThree;
  rates.shared_stall = {};
  EXPECT_EQ(rates.shared_stall_beside(0.7), 0);
  EXPECT_DOUBLE_EQ(rates.stall_of(1, 0, 0), 0.25);
  EXPECT_EQ(rates.stall_of(2, 0, 0), 0);
  EXPECT_EQ(rates.stall_of(3, 2, 0), 0);
}

TEST(CtaRates, CtasKeepInStepThatAreSlowerByLessThanTheOldestWait) {
  EXPECT_EQ(kOfThree.in_step(0), 1);
  EXPECT_DOUBLE_EQ(kOfThree.in_step(1), 0.9 * 1.05 + 0.05 * (1 / 0.75 - 0.9));
  CtaRates rates = kOfThree;
  rates.shared_stall = {0.2, 0.4, 0.8};
  EXPECT_EQ(rates.in_step(1), 1);
  EXPECT_DOUBLE_EQ(rates.in_step(2), 0.9 * 0.8 * 1.2 + 0.2 * (0.9 / 0.75 - 0.9 * 0.8));
}

TEST(CtaRates, TheBusierDramTheLongerFullSmsWait) {
  for (std::size_t i = 0; i < kStallShares.size(); ++i)
    EXPECT_DOUBLE_EQ(kOfThree.shared_stall_beside(kStallShares[i]), kOfThree.shared_stall[i]);  // as measured
  EXPECT_NEAR(kOfThree.shared_stall_beside(0.75), std::sqrt(0.1 * 0.4), 1e-12);
  EXPECT_NEAR(kOfThree.shared_stall_beside(0.3125), std::sqrt(0.05 * 0.1), 1e-12);
  EXPECT_NEAR(kOfThree.shared_stall_beside(0), 0.05 / std::cbrt(2), 1e-12);
  EXPECT_DOUBLE_EQ(kOfThree.shared_stall_beside(2), 0.4);
}

// As if the one that waits were not there.
TEST(CtaRates, YoungerCtasTakeWhatAnOlderOneLeaves) {
  EXPECT_EQ(kOfThree.gain(3, 0), 0);
  EXPECT_DOUBLE_EQ(kOfThree.gain(3, 1), 1 / 0.75 - 0.9);
  EXPECT_DOUBLE_EQ(kOfThree.gain(3, 2), 0.9 / 0.75 - 0.9 * 0.8);
  EXPECT_DOUBLE_EQ(kOfThree.gain(2, 1), 2 - 0.9 / 0.75);
}

}  // namespace hbmscope
