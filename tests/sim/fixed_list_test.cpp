#include "sim/fixed_list.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hbmscope {

TEST(FixedList, HoldsUpToItsCapacity) {
  FixedList<int, 3> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.push(5), 0);
  EXPECT_EQ(list.push(6), 1);
  list.add() = 7;
  EXPECT_EQ(list.count(), 3);
  EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0), 18);
  EXPECT_THROW(list.push(8), std::length_error);
  EXPECT_THROW(list.add(), std::length_error);
  EXPECT_EQ(list.back(), 7);
  list.pop();
  EXPECT_EQ(list.back(), 6);
  list.clear();
  EXPECT_TRUE(list.empty());
}

TEST(FixedList, CopiesAreIndependent) {
  FixedList<int, 4> list;
  list.push(1);
  list.push(2);
  FixedList<int, 4> copy(list);
  copy[0] = 9;
  EXPECT_EQ(list[0], 1);
  list = copy;
  EXPECT_EQ(list[0], 9);
  const auto& same = list;
  list = same;
  EXPECT_EQ(list.count(), 2);
}

TEST(FixedList, AddedElementsHaveTheirDefaults) {
  struct Element {
    int value = 4;
  };
  FixedList<Element, 2> list;
  list.add().value = 8;
  list.clear();
  EXPECT_EQ(list.add().value, 4);
}

}  // namespace hbmscope
