#include "sim/l2/cta_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

int on_side(const std::vector<int>& sides, int side) {
  return static_cast<int>(std::count(sides.begin(), sides.end(), side));
}

std::unique_ptr<Program> flash2(std::int64_t heads, std::int64_t seqlen) {
  auto program = std::make_unique<Program>();
  Plan plan;
  plan.problem.heads = plan.problem.kv_heads = heads;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = seqlen;
  const Algorithm& algorithm = find_algorithm("flash2");
  build_program(algorithm, find_variant(algorithm, "mma"), plan, *program);
  return program;
}

}  // namespace

// As %smid said on an H200 for one CTA per SM.
TEST(CtaSlots, FewCtasAreDealtToAllGpcs) {
  const GpuSpec gpu = load_gpu("h200");
  EXPECT_EQ(on_side(sides_of_sms(gpu, 132, 0), 0), 66);
  EXPECT_EQ(on_side(sides_of_sms(gpu, 1024, 0), 1), 66);
  EXPECT_EQ(on_side(sides_of_sms(gpu, 32, 0), 0), 20);
  EXPECT_NEAR(on_side(sides_of_sms(gpu, 48, 0), 0), 27, 1);  // a GPC of 8 SMs gets fewer than its share
  EXPECT_NEAR(on_side(sides_of_sms(gpu, 64, 0), 0), 33, 3);
  EXPECT_EQ(sides_of_sms(gpu, 5, 0), std::vector<int>(5, 0));
}

// One H200 goes on after its first GPC where another one ends: every order has the same SMs.
TEST(CtaSlots, SeedsDrawTheOrderOfTheGpcs) {
  GpuSpec gpu = load_gpu("h200");
  ASSERT_TRUE(gpu.sm_runs_rotate);
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    orders.insert(sides_of_sms(gpu, 132, seed));
    EXPECT_EQ(on_side(sides_of_sms(gpu, 132, seed), 0), 66) << seed;
    EXPECT_EQ(on_side(sides_of_sms(gpu, 8, seed), 0), 8) << seed;  // the first run stays
  }
  EXPECT_EQ(orders.size(), 8U);
  EXPECT_EQ(sides_of_sms(gpu, 132, 3), sides_of_sms(gpu, 132, 11));
  gpu.sm_runs_rotate = false;
  EXPECT_EQ(sides_of_sms(gpu, 132, 3), sides_of_sms(gpu, 132, 0));
}

TEST(CtaSlots, AChangedNumberOfSmsForgetsTheMeasuredOrder) {
  EXPECT_EQ(sides_of_sms(load_gpu("h200+sms=66"), 1000, 0).size(), 66U);
  EXPECT_EQ(sides_of_sms(load_gpu("h200+sms=264"), 1000, 0).size(), 264U);
}

TEST(CtaSlots, AGpuWithoutAMeasuredOrderUsesAllItsSms) {
  EXPECT_EQ(sides_of_sms(load_gpu("a100-80"), 1000, 0).size(), 108U);
  EXPECT_EQ(on_side(sides_of_sms(load_gpu("l4"), 1000, 0), 0), 58);
}

TEST(CtaSlots, IssuesEveryAccessOfTheLaunchOnce) {
  const auto program = flash2(5, 3000);
  std::map<std::int64_t, int> expected;
  visit_stream(*program, [&](const TileAccess& access) { ++expected[access.item]; });
  std::map<std::int64_t, int> issued;
  const LaunchBody body(*program, 0);
  CtaSlots(body, load_gpu("h200"), 0).run([&](const TileAccess& access, int) { ++issued[access.item]; });
  EXPECT_EQ(issued, expected);
}

// 264 CTAs of one length, two to an SM: the first of each pair is done when the second still has an eighth to
// go.
TEST(CtaSlots, TheOlderCtaOfAnSmRunsAhead) {
  const auto program = flash2(2, 132 * 128);
  const LaunchBody body(*program, 0);
  std::map<std::int64_t, int> done;  // accesses of an item before the first one ended
  int most = 0;
  visit_stream(*program, [&](const TileAccess& access) { most = std::max(most, ++done[access.item]); });
  done.clear();
  bool first_ended = false;
  CtaSlots(body, load_gpu("h200"), 0).run([&](const TileAccess& access, int) {
    if (first_ended) return;
    first_ended = ++done[access.item] == most;
  });
  EXPECT_NEAR(done[0], most, 3);
  EXPECT_NEAR(done[132], most * cta_rates(body.launch(), *program, load_gpu("h200")).younger, 6);
}

}  // namespace hbmscope
