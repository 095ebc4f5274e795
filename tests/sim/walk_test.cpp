#include "sim/walk.h"

#include <gtest/gtest.h>

#include "sim/algorithms/build.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

using namespace build;

// Bytes of one-byte elements that an outer loop of `outer` and an inner one of `inner` iterations load.
TensorTraffic loaded(std::int64_t outer, std::int64_t inner, const Range& rows) {
  Program program;
  program.algorithm = "walked";
  tensor(program, "T", Role::input, 1, 100, 1, 1);
  Launch& launch = program.launches.add();
  launch.name = "walked";
  launch.loops.push(counted("outer", outer));
  launch.grid_loops = 1;
  const int loop = open_loop(launch, counted("inner", inner));
  load(launch, 0, {}, rows, whole(1));
  close_loop(launch, loop);
  Traffic traffic;
  count_traffic(program, traffic);
  return traffic.launches[0].tensors[0];
}

}  // namespace

TEST(BoxWalk, MergesTilesThatLieEndToEnd) {
  // 3 x 4 tiles of 2 rows cover 24 rows, of which 21 are valid.
  const TensorTraffic traffic =
      loaded(3, 4, {.start = affine({{0, 8}, {1, 2}}), .extent = 2, .limit = fixed(21)});
  EXPECT_EQ(traffic.l2.read, 21U);
  EXPECT_EQ(traffic.compulsory.read, 21U);
}

TEST(BoxWalk, CountsRepeatsAndOverlaps) {
  // The outer loop repeats rows 0 … 3; then tiles of 3 rows that start every 2.
  EXPECT_EQ(loaded(5, 2, {.start = affine({{1, 2}}), .extent = 2, .limit = fixed(100)}).l2.read, 5U * 4);
  const TensorTraffic overlapping =
      loaded(1, 4, {.start = affine({{1, 2}}), .extent = 3, .limit = fixed(100)});
  EXPECT_EQ(overlapping.l2.read, 4U * 3);
  EXPECT_EQ(overlapping.compulsory.read, 9U);
}

// Rows 2 i − o leave gaps through i; o goes backwards by one, which joins nothing: 0, 2 1 0, 4 3 2 are valid.
TEST(BoxWalk, BackwardStepsAfterAGapDoNotMerge) {
  const TensorTraffic traffic = loaded(3, 3, {.start = affine({{0, -1}, {1, 2}}), .limit = fixed(100)});
  EXPECT_EQ(traffic.l2.read, 7U);
  EXPECT_EQ(traffic.compulsory.read, 5U);
}

// The same loop twice in one form steps by the sum.
TEST(BoxWalk, TermsOfOneLoopAddUp) {
  const TensorTraffic traffic =
      loaded(1, 3, {.start = affine({{1, 1}, {1, 1}}), .extent = 2, .limit = fixed(100)});
  EXPECT_EQ(traffic.l2.read, 6U);
  EXPECT_EQ(traffic.compulsory.read, 6U);
}

}  // namespace hbmscope
