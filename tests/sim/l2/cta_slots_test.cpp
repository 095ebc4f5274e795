#include "sim/l2/cta_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/l2/replay_values.h"
#include "sim/l2/sm_places.h"
#include "tests/sim/l2/equal_sms.h"

namespace hbmscope {
namespace {

std::vector<int> sides_of_sms(const GpuSpec& gpu, std::int64_t ctas, std::uint64_t seed) {
  std::vector<int> sides;
  for (const SmPlace& place : places_of_ctas(gpu, ctas, seed)) sides.push_back(place.side);
  return sides;
}

std::vector<int> sms_of_ctas(const GpuSpec& gpu, std::int64_t ctas) {
  std::vector<int> sms;
  for (const SmPlace& place : places_of_ctas(gpu, ctas, 0)) sms.push_back(place.sm);
  return sms;
}

int on_side(const std::vector<int>& sides, int side) {
  return static_cast<int>(std::count(sides.begin(), sides.end(), side));
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

// As in bench/recorded/calibrate_h200/sm_order.csv: one on each TPC, a second one on the first TPCs where a
// GPC gets more CTAs than it has TPCs. How many each run gets after the first one's eight:
TEST(CtaSlots, FewCtasOfAGpcAreDealtToItsTpcs) {
  const GpuSpec gpu = load_gpu("h200");
  const auto expect = [&](std::int64_t ctas, const std::vector<int>& of_runs) {
    std::vector<int> found(of_runs.size());
    const std::vector<int> sms = sms_of_ctas(gpu, ctas);
    EXPECT_EQ(std::set<int>(sms.begin(), sms.end()).size(), static_cast<std::size_t>(ctas));
    for (std::size_t cta = 8; cta < sms.size(); ++cta) {
      std::int64_t end = 0;
      for (std::size_t run = 0; run < gpu.sm_runs.size(); ++run) {
        if (sms[cta] >= end && sms[cta] < end + gpu.sm_runs[run].sms) ++found[run - 1];
        end += gpu.sm_runs[run].sms;
      }
    }
    EXPECT_EQ(found, of_runs) << ctas;
  };
  expect(22, {2, 2, 2, 2, 2, 1, 1, 2});
  expect(33, {3, 3, 3, 3, 3, 3, 3, 4});
  expect(44, {5, 5, 5, 5, 4, 4, 4, 4});
  expect(66, {8, 8, 8, 8, 8, 7, 7, 4});
  expect(99, {12, 12, 12, 12, 11, 12, 12, 8});
  const std::vector<int> many = sms_of_ctas(gpu, 99);
  EXPECT_EQ(std::vector<int>(many.begin() + 8, many.begin() + 20),
            (std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22}));
  std::vector<int> all(132);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sms_of_ctas(gpu, 132), all);
}

// 165 CTAs on 132 SMs, as the trace of such a launch has it (cta_trace.csv): a second CTA on all of the first
// eight SMs, on four of the GPC with eight, and on three of each other one, 21 on side 0. The first 33 SMs
// have 15 of that side.
TEST(CtaSlots, TheLastCtasAreDealtLikeALaunchOfSoFew) {
  const auto program = flash2(165, 128);
  const LaunchBody body(*program, 0);
  CtaSlots slots(body, load_gpu("h200"), 0);
  std::map<int, int> sides;  // of items beyond the first 132
  slots.run([&](const TileAccess& access, int side) {
    if (access.item >= 132 && access.tensor == 0) ++sides[side];
    return HbmBytes{};
  });
  EXPECT_EQ(sides[0], 21);
  EXPECT_EQ(sides[1], 12);
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
  CtaSlots(body, load_gpu("h200"), 0).run([&](const TileAccess& access, int) {
    ++issued[access.item];
    return HbmBytes{};
  });
  EXPECT_EQ(issued, expected);
}

// 264 CTAs of one length, two to an SM: the first of each pair is done when the second still has an eighth to
// go. SMs that share alike.
TEST(CtaSlots, TheOlderCtaOfAnSmRunsAhead) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  const auto program = flash2(2, 132 * 128);
  const LaunchBody body(*program, 0);
  std::map<std::int64_t, int> done;  // accesses of an item before the first one ended
  int most = 0;
  visit_stream(*program, [&](const TileAccess& access) { most = std::max(most, ++done[access.item]); });
  done.clear();
  bool first_ended = false;
  CtaSlots(body, gpu, 0).run([&](const TileAccess& access, int) {
    if (!first_ended) first_ended = ++done[access.item] == most;
    return HbmBytes{};
  });
  EXPECT_NEAR(done[0], most, 3);
  EXPECT_NEAR(done[132], most * cta_rates(body.launch(), *program, gpu).younger, 6);
}

namespace {

// How far the younger CTA of an SM has come when the older one ends, of 264 CTAs that walk one head's K and
// V, of which DRAM is asked for what nobody has read yet.
double younger_ones_share(double younger, double stall) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  for (KernelCtaRates& rates : gpu.cta_rates) {
    for (BuildCtaRates& build : rates.builds)
      build.rates = {
          .younger = younger, .lone = 1.5, .stall = 3 * stall, .shared_stall = {stall, stall, stall}};
  }
  const auto program = flash2(1, 264 * 128);
  const LaunchBody body(*program, 0);
  std::map<std::int64_t, int> done;
  std::set<std::pair<int, std::int64_t>> read;
  int most = 0;
  visit_stream(*program, [&](const TileAccess& access) { most = std::max(most, ++done[access.item]); });
  done.clear();
  bool ended = false;
  CtaSlots(body, gpu, 0).run([&](const TileAccess& access, int) {
    if (!ended) ended = ++done[access.item] == most;
    const bool is_first = read.emplace(access.tensor, access.rows.begin).second;
    return HbmBytes{.fetched = is_first ? access.bytes() : 0};
  });
  return static_cast<double>(done[132]) / most;
}

}  // namespace

// The first to need a tile waits for DRAM, and those that come shortly after it wait for the same bytes:
// whoever is slower by less than that keeps in step, others fall behind what the first ones have become.
TEST(CtaSlots, CtasThatWaitForTheSameBytesKeepInStep) {
  EXPECT_NEAR(younger_ones_share(0.95, 0), 0.95, 0.005);
  EXPECT_NEAR(younger_ones_share(0.95, 0.1), 1, 0.005);
  // While the older one waits the other goes at a lone one's rate.
  EXPECT_NEAR(younger_ones_share(0.7, 0.1), 0.7 * 1.1 + 0.1 * (1.5 - 0.7), 0.01);
}

namespace {

// Accesses of every item when the first one ends that is not `slow`, where every byte of `slow` comes from
// DRAM.
std::map<std::int64_t, int> done_when_one_ends(std::int64_t heads, const GpuSpec& gpu, std::int64_t slow,
                                               const std::optional<StreamQueues>& queues = std::nullopt) {
  const auto program = std::make_unique<Program>();
  Plan plan;
  plan.problem.heads = plan.problem.kv_heads = heads;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = 1024;
  const Algorithm& algorithm = find_algorithm("flash1");
  build_program(algorithm, find_variant(algorithm, "mma"), plan, *program);
  std::map<std::int64_t, int> done;
  int most = 0;
  visit_stream(*program, [&](const TileAccess& access) { most = std::max(most, ++done[access.item]); });
  done.clear();
  bool ended = false;
  const LaunchBody body(*program, 0);
  CtaSlots(body, gpu, 0, queues).run([&](const TileAccess& access, int) {
    if (!ended) ended = ++done[access.item] == most && access.item != slow;
    return HbmBytes{.fetched = access.item == slow ? access.bytes() : 0};
  });
  return done;
}

}  // namespace

// flash1 waits for its tiles: a CTA that has the SM to itself falls behind by `stall` for each byte from
// DRAM, by less with few CTAs on the GPU.
TEST(CtaSlots, ALoneCtaFallsBehindWhileItWaitsForDram) {
  GpuSpec gpu = load_gpu("h200");
  const auto expect_behind = [&](std::optional<double> quiet_stall, double times_as_slow) {
    for (KernelCtaRates& each : gpu.cta_rates) {
      each.builds.front().rates.stall = 0.5;
      each.builds.front().rates.quiet_stall = quiet_stall;
    }
    const std::map<std::int64_t, int> done = done_when_one_ends(8, gpu, 3);
    ASSERT_GT(done.at(4), 900);
    EXPECT_NEAR(done.at(3), done.at(4) / times_as_slow, 10);
    EXPECT_NEAR(done.at(5), done.at(4), 10);
  };
  expect_behind(std::nullopt, 1.5);
  expect_behind(0.2, 1.2);
}

// Of two CTAs on an SM the other goes on meanwhile.
TEST(CtaSlots, OneOfTwoCtasDoesNotFallBehind) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  for (KernelCtaRates& rates : gpu.cta_rates) {
    rates.builds.front().rates.lone = rates.builds.front().rates.younger = 1;
    rates.builds.front().rates.stall = 0.5;
  }
  const std::map<std::int64_t, int> done = done_when_one_ends(264, gpu, 3);
  EXPECT_NEAR(done.at(3), done.at(4), 10);
}

// A stream's CTAs that find theirs run ahead of one that waits for DRAM: the L2 serves the 7 others in turn
// while DRAM serves that one.
TEST(CtaSlots, ACtaOfAStreamFallsBehindWhileItWaitsForDram) {
  const GpuSpec gpu = load_gpu("h200");
  for (const double times_as_slow : {4.0, 16.0, 40.0}) {
    const StreamQueues queues{.l2_bytes_per_s = 8e12, .hbm_bytes_per_s = 8e12 / times_as_slow};
    const std::map<std::int64_t, int> done = done_when_one_ends(8, gpu, 3, queues);
    ASSERT_GT(done.at(4), 700);
    const double behind = static_cast<double>(done.at(4)) / done.at(3);
    EXPECT_GE(behind, 0.95 * std::max(times_as_slow / 7, 1.0)) << times_as_slow;
    EXPECT_LE(behind, 1.05 * std::max((times_as_slow + 2) / 7, 1.0)) << times_as_slow;
    EXPECT_NEAR(done.at(5), done.at(4), 0.05 * done.at(4)) << times_as_slow;
  }
}

}  // namespace hbmscope
