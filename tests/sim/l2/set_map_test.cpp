#include "sim/l2/set_map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hbmscope {
namespace {

const L2Geometry& h200() {
  static const L2Geometry geometry = l2_geometry(load_gpu("h200"));
  return geometry;
}

}  // namespace

TEST(L2Geometry, OfAnH200IsTwoSidesOf30MiBWhoseSetsComeOnceIn3840KiB) {
  EXPECT_EQ(h200().sides, 2);
  EXPECT_EQ(h200().side_bytes, 30 * 1024 * kKiB);
  EXPECT_EQ(h200().groups, 15);
  EXPECT_EQ(h200().units(), 240);
}

TEST(L2Geometry, OfAnMi300xIsEightSidesWithACacheBehind) {
  const L2Geometry geometry = l2_geometry(load_gpu("mi300x"));
  EXPECT_EQ(geometry.sides, 8);
  EXPECT_FALSE(geometry.home_is_a_side);
  EXPECT_EQ(geometry.caches(), 9);
  EXPECT_EQ(geometry.capacity(0), 4 * 1024 * kKiB);
  EXPECT_EQ(geometry.capacity(8), 256 * 1024 * kKiB);
}

TEST(L2Geometry, OneCopyOfALineIsOneCacheForAll) {
  const L2Geometry geometry = l2_geometry(load_gpu("h200+l2.copies=1"));
  EXPECT_EQ(geometry.sides, 1);
  EXPECT_EQ(geometry.side_bytes, 60 * 1024 * kKiB);
}

TEST(SetMap, EveryWindowMeetsEveryUnitOnce) {
  SetMap map(h200(), 5);
  const Bytes window = static_cast<Bytes>(h200().groups) * h200().stretch_bytes;
  for (const Bytes begin : {Bytes{0}, 7 * window, 123 * window}) {
    std::set<int> units;
    for (Bytes address = begin; address < begin + window; address += kL2BlockBytes) {
      units.insert(map.unit_of(address));
    }
    EXPECT_EQ(units.size(), 240U);
  }
}

TEST(SetMap, ASeedIsAPlacement) {
  SetMap one(h200(), 1);
  SetMap same(h200(), 1);
  SetMap other(h200(), 2);
  int differ = 0;
  for (Bytes address = 0; address < 64 * 1024 * kKiB; address += kL2BlockBytes) {
    const int unit = one.unit_of(address);
    EXPECT_EQ(unit, same.unit_of(address));
    differ += unit != other.unit_of(address) ? 1 : 0;
  }
  EXPECT_GT(differ, 3000);
}

}  // namespace hbmscope
