#include "sim/loops.h"

#include <gtest/gtest.h>

#include "sim/algorithms/build.h"
#include "sim/error.h"

namespace hbmscope {

using namespace build;

TEST(Loops, FormsNameTheLoopsTheyRead) {
  EXPECT_EQ(loops_in(affine({{0, 2}, {3, -1}}, 5)), 0b1001U);
  EXPECT_EQ(loops_in(affine({}, 5)), 0U);
  EXPECT_EQ(loops_in(affine({{2, 0}})), 0U);
  EXPECT_EQ(loops_in(Index{.offset = affine({{0, 1}}), .table = 0, .position = affine({{1, 1}})}), 0b11U);
  EXPECT_EQ(loops_in(Index{.offset = affine({{0, 1}}), .position = affine({{1, 1}})}), 0b1U);
}

TEST(Loops, ValidPartsEndAtTheirLimits) {
  const Program program{};
  const Range range{.start = affine({{0, 4}}, -2), .extent = 4, .limit = fixed(5)};
  EXPECT_EQ(valid_part(range, program, Indices{0}), (Interval{0, 2}));
  EXPECT_EQ(valid_part(range, program, Indices{1}), (Interval{2, 5}));
  EXPECT_EQ(valid_part(range, program, Indices{2}).length(), 0);
}

TEST(Loops, OpenLoopsAreGridFirstThenBody) {
  Launch launch;
  launch.loops.push(counted("fast", 2));
  launch.loops.push(counted("slow", 2));
  launch.grid_loops = 2;
  const int body = open_loop(launch, counted("body", 2));
  close_loop(launch, body);
  const OpenLoops before = open_loops_at(launch, 0);
  ASSERT_EQ(before.count(), 2);
  EXPECT_EQ(before[0], 1);  // the slowest is outermost
  EXPECT_EQ(before[1], 0);
  EXPECT_EQ(open_loops_at(launch, 1).back(), body);
  EXPECT_EQ(open_loops_at(launch, 2).count(), 2);
}

TEST(Loops, GridSizeIsTheProductOfItsLoops) {
  const Program program{};
  Launch launch;
  for (int loop = 0; loop < 3; ++loop) launch.loops.push(counted("grid", std::int64_t{1} << 30));
  launch.grid_loops = 2;
  EXPECT_EQ(grid_size(launch, program), std::int64_t{1} << 60);
  launch.grid_loops = 3;
  EXPECT_THROW(grid_size(launch, program), UserError);
}

}  // namespace hbmscope
