#include "sim/l2/tile_arrivals.h"

#include <gtest/gtest.h>

namespace hbmscope {
namespace {

TileAccess tile(std::int64_t row, std::int64_t plane = 0, int tensor = 1) {
  TileAccess access;
  access.tensor = tensor;
  access.plane = plane;
  access.rows = {row, row + 64};
  access.columns = {0, 64};
  return access;
}

}  // namespace

TEST(TileArrivals, WhoComesShortlyAfterTheFirstWaitsWithIt) {
  TileArrivals arrivals;
  EXPECT_EQ(arrivals.wait_for(tile(0), 10, 0), 0);  // it was in the L2
  EXPECT_EQ(arrivals.wait_for(tile(0), 100, 8), 8);
  EXPECT_EQ(arrivals.wait_for(tile(0), 103, 0), 5);
  EXPECT_EQ(arrivals.wait_for(tile(0), 108, 0), 0);
  EXPECT_EQ(arrivals.wait_for(tile(0), 200, 0), 0);
}

// CTAs take turns: one whose turn comes later may be earlier in time, and is then the first one.
TEST(TileArrivals, NobodyWaitsLongerThanTheFirst) {
  TileArrivals arrivals;
  arrivals.wait_for(tile(0), 100, 8);
  EXPECT_EQ(arrivals.wait_for(tile(0), 90, 0), 8);
}

TEST(TileArrivals, OtherTilesAreThere) {
  TileArrivals arrivals;
  arrivals.wait_for(tile(64, 3, 1), 100, 8);
  EXPECT_EQ(arrivals.wait_for(tile(0, 3, 1), 101, 0), 0);
  EXPECT_EQ(arrivals.wait_for(tile(64, 2, 1), 101, 0), 0);
  EXPECT_EQ(arrivals.wait_for(tile(64, 3, 2), 101, 0), 0);
  EXPECT_EQ(arrivals.wait_for(tile(64, 3, 1), 101, 0), 7);
}

}  // namespace hbmscope
