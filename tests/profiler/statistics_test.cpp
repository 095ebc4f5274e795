#include "profiler/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace hbmscope {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::array{3.0, 1.0, 100.0}), 3.0);
  EXPECT_EQ(median(std::array{4.0, 1.0, 2.0, 100.0}), 3.0);
}

TEST(Statistics, SpreadIsRelativeToTheMedian) { EXPECT_EQ(spread(std::array{9.0, 10.0, 12.0}), 0.3); }

TEST(Statistics, AbsentWithoutEnoughValues) {
  EXPECT_EQ(median(std::vector<double>{}), std::nullopt);
  EXPECT_EQ(spread(std::array{5.0}), std::nullopt);
  EXPECT_EQ(spread(std::array{-1.0, 0.0, 1.0}), std::nullopt);
}

}  // namespace
}  // namespace hbmscope
