#include "profiler/calibration/written_lines.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace hbmscope {
namespace {

constexpr double kMib = 1048576;
constexpr double kCapacity = 60 * kMib;

}  // namespace

// Counted on an H200.
TEST(DirtyShare, IsWhatWasNotWrittenMeanwhile) {
  const std::vector<WrittenBuffer> buffers{{16 * kMib, 0.0e6, 16.891e6},
                                           {48 * kMib, 20.628e6, 28.282e6},
                                           {64 * kMib, 37.609e6, 28.079e6},
                                           {128 * kMib, 105.057e6, 28.112e6}};
  EXPECT_DOUBLE_EQ(dirty_share_of(buffers, kCapacity), 0.47);
}

TEST(DirtyShare, RefusesWhatDoesNotAddUp) {
  const WrittenBuffer good{64 * kMib, 37.6e6, 28.1e6};
  EXPECT_THROW(dirty_share_of(std::vector{WrittenBuffer{16 * kMib, 0, 16.8e6}}, kCapacity),
               std::runtime_error);
  EXPECT_THROW(dirty_share_of(std::vector{WrittenBuffer{64 * kMib, 37.6e6, 60e6}}, kCapacity),
               std::runtime_error);
  EXPECT_THROW(dirty_share_of(std::vector{good, WrittenBuffer{128 * kMib, 120e6, 14e6}}, kCapacity),
               std::runtime_error);
  EXPECT_THROW(dirty_share_of(std::vector{WrittenBuffer{64 * kMib, 67.1e6, 0}}, kCapacity),
               std::runtime_error);
}

// Counted on an H200: 25.2, 29.4, 80.5, 104.4 and 167.8 MB.
TEST(Knee, IsWhereHalfOfTheLinesAreMissed) {
  const std::vector<CountedRing> rings{{24 * kMib, 4, 25.17e6},
                                       {28 * kMib, 4, 29.38e6},
                                       {30 * kMib, 4, 80.52e6},
                                       {32 * kMib, 4, 104.43e6},
                                       {40 * kMib, 4, 167.80e6}};
  const std::optional<double> knee = knee_of(rings);
  ASSERT_TRUE(knee);
  EXPECT_NEAR(*knee / kMib, 29.9, 0.2);
  EXPECT_FALSE(knee_of(std::vector<CountedRing>(rings.begin(), rings.begin() + 2)));
  EXPECT_FALSE(knee_of({}));
}

}  // namespace hbmscope
