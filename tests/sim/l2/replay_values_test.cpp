#include "sim/l2/replay_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/l2/l2_geometry.h"

namespace hbmscope {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReplayValues, TheH200LacksNothing) {
  const ReplayValues values = replay_values(load_gpu("h200"));
  EXPECT_EQ(values.ways, 16U);
  EXPECT_EQ(values.stretch_bytes, 256 * kKiB);
  EXPECT_EQ(values.dirty_share, 0.47);
  EXPECT_EQ(values.younger_cta_rate, 0.885);
  EXPECT_EQ(values.lone_cta_rate, 1.40);
  EXPECT_THAT(assumed_values(load_gpu("h200")), IsEmpty());
}

TEST(ReplayValues, OtherGpusTakeTheH200sWhereTheyLackTheirOwn) {
  GpuSpec gpu = load_gpu("a100-80");
  EXPECT_THAT(assumed_values(gpu),
              ElementsAre("ways", "stretch", "dirty share", "rate of the younger CTA", "rate of a lone CTA"));
  gpu.caches.front().ways = SourcedValue{12, true, "test"};
  gpu.caches.front().dirty_share = SourcedValue{0.25, true, "test"};
  gpu.lone_cta_rate = SourcedValue{1.5, true, "test"};
  EXPECT_THAT(assumed_values(gpu), ElementsAre("stretch", "rate of the younger CTA"));
  const ReplayValues values = replay_values(gpu);
  EXPECT_EQ(values.ways, 12U);
  EXPECT_EQ(values.stretch_bytes, 256 * kKiB);
  EXPECT_EQ(values.lone_cta_rate, 1.5);
}

// 40 MiB on two sides: a way of a side is 1.25 MiB of 16 and takes the lines of 2.5 MiB.
TEST(ReplayValues, DecideOnTheGeometry) {
  GpuSpec gpu = load_gpu("a100-80");
  EXPECT_EQ(l2_geometry(gpu).groups, 10);
  EXPECT_EQ(l2_geometry(gpu).dirty_bytes, 20 * kMiB * 7 / 16);  // 47 % are 7.5 ways
  EXPECT_EQ(l2_geometry(gpu).under_way_bytes, static_cast<Bytes>(40.0 * kMiB * (0.47 - 7.0 / 16)));
  gpu.caches.front().ways = SourcedValue{8, true, "test"};
  gpu.caches.front().stretch_bytes = SourcedValue{512.0 * kKiB, true, "test"};
  gpu.caches.front().dirty_share = SourcedValue{0.25, true, "test"};
  EXPECT_EQ(l2_geometry(gpu).groups, 10);
  EXPECT_EQ(l2_geometry(gpu).stretch_bytes, 512 * kKiB);
  EXPECT_EQ(l2_geometry(gpu).dirty_bytes, 5 * kMiB);
  EXPECT_EQ(l2_geometry(gpu).under_way_bytes, 0U);
}

TEST(ReplayValues, AWhatIfOfTheCapacityKeepsThem) {
  EXPECT_THAT(assumed_values(load_gpu("h200+l2.capacity=100MiB")), IsEmpty());
}

}  // namespace hbmscope
