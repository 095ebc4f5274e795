#include "sim/l2/set_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/sim/l2_capacity.h"

namespace hbmscope {
namespace {

const L2Geometry& h200() {
  static const L2Geometry geometry = l2_geometry(load_gpu("h200"));
  return geometry;
}

}  // namespace

// 20 rows of 47 pages: 47 of 48 parts of the L2 are reached.
TEST(L2Geometry, OfAnH200IsTwoSidesWhoseSetsComeOnceIn20Rows) {
  EXPECT_EQ(h200().sides, 2);
  EXPECT_EQ(h200().side_bytes, 30 * kMiB / 48 * 47);
  EXPECT_EQ(static_cast<Bytes>(h200().groups) * h200().stretch_bytes, 20 * 47 * 4 * kKiB);
  EXPECT_EQ(h200().groups, 5);
  EXPECT_EQ(h200().units(), 235);
}

TEST(L2Geometry, AChangedCapacityIsReachedToTheSameShare) {
  EXPECT_EQ(l2_geometry(load_gpu("h200+l2.capacity=60MiB")).side_bytes, h200().side_bytes);
  EXPECT_EQ(l2_geometry(load_gpu("h200+l2.capacity=120MiB")).side_bytes, 2 * h200().side_bytes);
}

// A unit holds eight shares of blocks or more, however small the L2; one without room for a block has one.
TEST(L2Geometry, AStretchOfASmallL2IsAWay) {
  for (const double capacity : {8e6, 1e6, 5e5, 1e4, 1.0, 0.0}) {
    const L2Geometry geometry = l2_geometry(test::with_capacity("h200", capacity));
    EXPECT_LE(geometry.stretch_bytes, std::max(capacity / 16, 16384.0)) << capacity;
    EXPECT_EQ(geometry.stretch_bytes % kL2BlockBytes, 0U) << capacity;
    EXPECT_LE(geometry.dirty_bytes, geometry.side_bytes) << capacity;
  }
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
  EXPECT_EQ(geometry.side_bytes, 60 * kMiB / 48 * 47);
}

// Five runs of four stretches: runs are swapped in themselves, so that shorter windows may meet a unit twice.
TEST(SetMap, TwentyStretchesMeetEveryUnitFourTimes) {
  const SetMap map(h200(), 5);
  const Bytes window = 20 * h200().stretch_bytes;
  for (const Bytes begin : {Bytes{0}, 7 * window, 123 * window}) {
    std::map<int, int> met;
    for (Bytes address = begin; address < begin + window; address += kL2BlockBytes)
      ++met[map.unit_of(address)];
    EXPECT_EQ(met.size(), 235U);
    for (const auto& [unit, times] : met) EXPECT_EQ(times, 4) << unit;
  }
}

// Row r of run u meets class (16 u + (r ^ swap(u))) mod 20, as hbmscope calibrate found it row by row
// (bench/recorded/rows_h200): rows of one class meet the same units, those of others never.
TEST(SetMap, IsTheRuleOfTheRows) {
  const std::vector<std::int64_t>& swaps = h200().stretch_swaps;
  const SetMap map(h200(), 1);
  const Bytes row_bytes = 47 * 4 * kKiB;
  const auto class_of = [&](Bytes row) {
    Bytes swap = 0;
    for (std::size_t bit = 0; bit < swaps.size(); ++bit) {
      if (row / 16 >> bit & 1U) swap ^= static_cast<Bytes>(swaps[bit]);
    }
    return (16 * (row / 16) + (row % 16 ^ swap)) % 20;
  };
  std::map<int, std::map<Bytes, int>> met;  // classes of the rows that meet a unit
  for (Bytes row = 0; row < 16 * 2048; ++row) {
    ++met[map.unit_of(row * row_bytes + row_bytes / 2)][class_of(row)];
  }
  // The seed swaps all runs alike, so a class is another one's place, but for the seams of four rows whose
  // blocks are not whole quarters.
  for (const auto& [unit, classes] : met) EXPECT_EQ(classes.size(), 1U) << unit;
  EXPECT_EQ(met.size(), 20U);
}

TEST(SetMap, ASeedIsAPlacement) {
  const SetMap one(h200(), 1);
  const SetMap same(h200(), 1);
  const SetMap other(h200(), 2);
  int differ = 0;
  for (Bytes address = 0; address < 64 * 1024 * kKiB; address += kL2BlockBytes) {
    const int unit = one.unit_of(address);
    EXPECT_EQ(unit, same.unit_of(address));
    differ += unit != other.unit_of(address) ? 1 : 0;
  }
  EXPECT_GT(differ, 3000);
}

}  // namespace hbmscope
