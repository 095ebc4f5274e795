#include "sim/box_union.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "sim/error.h"

namespace hbmscope {
namespace {

Interval any_interval() {
  const auto begin = *rc::gen::inRange<std::int64_t>(0, 12);
  return {begin, begin + *rc::gen::inRange<std::int64_t>(1, 6)};
}

std::uint64_t count_one_by_one(const std::vector<Box>& boxes) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> elements;
  for (const Box& box : boxes) {
    for (auto p = box.planes.begin; p < box.planes.end; ++p) {
      for (auto r = box.rows.begin; r < box.rows.end; ++r) {
        for (auto c = box.columns.begin; c < box.columns.end; ++c) elements.insert({p, r, c});
      }
    }
  }
  return elements.size();
}

}  // namespace

RC_GTEST_PROP(BoxUnion, CountsDistinctElements, ()) {
  std::vector<Box> given;
  std::vector<Box> joined;
  const auto count = *rc::gen::inRange(0, 8);
  const Interval shared = any_interval();
  for (int i = 0; i < count; ++i) {
    Box box{any_interval(), any_interval(), any_interval()};
    if (*rc::gen::inRange(0, 2) == 0) box.planes = box.columns = shared;
    given.push_back(box);
    add_box(joined, box);
  }
  RC_ASSERT(union_volume(joined) == count_one_by_one(given));
}

TEST(BoxUnion, JoinsRowsThatMeet) {
  std::vector<Box> boxes;
  add_box(boxes, {{0, 1}, {0, 4}, {0, 8}});
  add_box(boxes, {{0, 1}, {4, 6}, {0, 8}});
  EXPECT_EQ(boxes.size(), 1U);
  add_box(boxes, {{1, 2}, {4, 6}, {0, 8}});
  EXPECT_EQ(boxes.size(), 2U);
  EXPECT_EQ(union_volume(boxes), 6U * 8 + 2 * 8);
}

TEST(BoxUnion, OverflowIsAnError) {
  const std::int64_t side = std::int64_t{1} << 30;
  std::vector<Box> boxes{{{0, side}, {0, side}, {0, side}}};
  EXPECT_THROW(union_volume(boxes), UserError);
}

}  // namespace hbmscope
