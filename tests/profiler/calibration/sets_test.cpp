#include "profiler/calibration/sets.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "tests/profiler/calibration/recorded_probe.h"

namespace hbmscope {
namespace {

constexpr Bytes kH200L2 = 60 * kMiB;

}  // namespace

TEST(Sets, OfTheRecordedEvictionSets) {
  std::vector<int> ways;
  std::vector<double> implied;
  for (const auto& row : recorded_probe("sets.csv")) {
    ways.push_back(row.at("ways").empty() ? 0 : std::stoi(row.at("ways")));
    if (!row.at("sets_implied").empty()) implied.push_back(std::stod(row.at("sets_implied")));
  }
  EXPECT_EQ(ways.size(), 8U);
  EXPECT_EQ(ways_of(ways), 16);
  EXPECT_NEAR(sets_of_side(implied, kH200L2, 2, 16), 15360, 500);
  EXPECT_THROW(sets_of_side(implied, kH200L2, 1, 16), std::runtime_error);  // twice as many
  EXPECT_THROW(sets_of_side({}, kH200L2, 2, 16), std::runtime_error);
}

// 3.75 MiB meet every set of a side twice, once by a line that is homed there: 15 groups of 256 KiB.
TEST(Sets, StretchIsThePowerOfTwoInAWay) {
  EXPECT_EQ(stretch_of(kH200L2, 16), 256 * kKiB);
  EXPECT_EQ(stretch_of(40 * kMiB, 16), 512 * kKiB);
  EXPECT_EQ(stretch_of(48 * kMiB, 16), kMiB);
  EXPECT_THROW(stretch_of(kH200L2 + 128, 16), std::runtime_error);
}

TEST(Sets, RecordedMembersFillStretchesOrStayAway) {
  for (const auto& row : recorded_probe("sets.csv")) {
    std::vector<std::uint32_t> members;
    std::stringstream text(row.at("member_lines"));
    for (std::uint32_t line = 0; text >> line;) members.push_back(line);
    if (members.empty()) continue;
    EXPECT_GT(share_of_whole_stretches(members, 256 * kKiB, 2), 0.9) << row.at("target_line");
    EXPECT_LT(share_of_whole_stretches(members, 8 * kMiB, 2), 0.3) << row.at("target_line");
  }
}

TEST(Sets, WaysNeedAMajority) {
  EXPECT_EQ(ways_of(std::vector<int>{16, 0, 16, 15, 16}), 16);
  EXPECT_THROW(ways_of(std::vector<int>{16, 15}), std::runtime_error);
  EXPECT_THROW(ways_of(std::vector<int>{0, 0}), std::runtime_error);
}

TEST(Sets, ReplacementIsWhatIsGivenUp) {
  const std::vector<unsigned> second{0, 8, 0, 1, 0, 0, 0, 0};
  const std::vector<unsigned> first{8, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<unsigned> any{1, 2, 1, 0, 2, 1, 0, 1};
  EXPECT_EQ(replacement_of(second, 8), "LRU");
  EXPECT_EQ(replacement_of(first, 8), "FIFO");
  EXPECT_EQ(replacement_of(any, 8), "other");
}

TEST(Sets, ReplacementIsRefusedIfNothingIsGivenUp) {
  const std::vector<unsigned> none(16, 0);
  std::vector<unsigned> by_chance = none;
  by_chance[1] = 3;
  EXPECT_THROW(replacement_of(none, 8), std::runtime_error);
  EXPECT_THROW(replacement_of(by_chance, 8), std::runtime_error);
  EXPECT_THROW(replacement_of({}, 8), std::runtime_error);
}

TEST(Sets, DirtyWaysAreTheWrittenLinesOfWhichNoneIsWrittenBack) {
  EXPECT_EQ(dirty_ways_of({true, true, true, false, false}), 3);
  EXPECT_THROW(dirty_ways_of({}), std::runtime_error);
  EXPECT_THROW(dirty_ways_of({false, false}), std::runtime_error);
  EXPECT_THROW(dirty_ways_of({true, true}), std::runtime_error);
  EXPECT_THROW(dirty_ways_of({true, false, true}), std::runtime_error);
}

}  // namespace hbmscope
