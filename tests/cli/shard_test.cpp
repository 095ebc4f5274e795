#include "cli/shard.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

RC_GTEST_PROP(Shard, BlocksCoverAllPointsOnceAndDifferByOneAtMost, ()) {
  const auto points = *rc::gen::inRange<std::size_t>(1, 10'000);
  const auto count = *rc::gen::inRange<std::size_t>(1, points + 1);
  std::size_t next = 0;
  for (std::size_t number = 1; number <= count; ++number) {
    const PointRange range = range_of({number, count}, points);
    RC_ASSERT(range.begin == next);
    RC_ASSERT(range.size() >= points / count);
    RC_ASSERT(range.size() <= points / count + 1);
    next = range.end;
  }
  RC_ASSERT(next == points);
}

TEST(Shard, IsReadAndWrittenAlike) {
  const Shard shard = parse_shard("2/4");
  EXPECT_EQ(shard.number, 2U);
  EXPECT_EQ(shard.count, 4U);
  EXPECT_EQ(to_string(shard), "2/4");
}

TEST(Shard, RefusesWhatIsNone) {
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/", "/2"}) {
    EXPECT_THROW(parse_shard(text), UserError) << text;
  }
  EXPECT_THROW(range_of({1, 5}, 4), UserError);
  EXPECT_EQ(range_of({4, 4}, 4).size(), 1U);
}

}  // namespace
}  // namespace hbmscope
