#include "sim/l2/timeline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/l2/l2_geometry.h"
#include "sim/l2/replay.h"
#include "sim/predict.h"
#include "sim/traffic.h"
#include "tests/sim/l2_capacity.h"
#include "tests/sim/random_programs.h"

namespace hbmscope::test {
namespace {

Timeline timeline_of(const Program& program, const GpuSpec& gpu, std::uint64_t seed = 1) {
  Traffic traffic;
  count_traffic(program, traffic);
  return replay_timeline(program, traffic, gpu, seed);
}

// Sums over all steps.
TimelineStep sum_of(const Timeline& timeline) {
  TimelineStep sum;
  for (const LaunchTimeline& launch : timeline.launches) {
    for (const TimelineStep& step : launch.steps) {
      sum.near_bytes += step.near_bytes;
      sum.home_bytes += step.home_bytes;
      sum.dram_bytes += step.dram_bytes;
      sum.written_bytes += step.written_bytes;
    }
  }
  return sum;
}

template <class Visit>
void for_each_step(const Timeline& timeline, Visit visit) {
  for (const LaunchTimeline& launch : timeline.launches) {
    for (const TimelineStep& step : launch.steps) visit(step);
  }
}

class TimelineOf : public testing::TestWithParam<Builder> {};

INSTANTIATE_TEST_SUITE_P(Programs, TimelineOf, testing::ValuesIn(all_builders()), [](const auto& builder) {
  std::string name = builder.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace

// Looking on changes nothing, and the steps leave nothing out.
TEST_P(TimelineOf, AddsUpToTheReplay) {
  EXPECT_TRUE(rc::check([&] {
    const GpuSpec gpu = with_capacity(*rc::gen::element<std::string>("h200", "l4", "mi300x"), 256 * 1024);
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    HbmTraffic hbm;
    replay(built.program, gpu, 3, hbm);
    ReadWrite replayed;
    for (const LaunchHbmTraffic& launch : hbm.launches) {
      for (const ReadWrite& tensor : launch.tensors) {
        replayed.read += tensor.read;
        replayed.write += tensor.write;
      }
    }
    const Timeline timeline = timeline_of(built.program, gpu, 3);
    const TimelineStep sum = sum_of(timeline);
    RC_ASSERT(timeline.hbm_read_bytes == replayed.read);
    RC_ASSERT(timeline.hbm_write_bytes == replayed.write);
    RC_ASSERT(sum.dram_bytes == replayed.read);
    RC_ASSERT(sum.near_bytes + sum.home_bytes + sum.dram_bytes == total_of(closed).io.read);
    RC_ASSERT(sum.written_bytes == total_of(closed).io.write);
  }));
}

// An infinite cache holds all that is live, and at the end nothing is.
TEST_P(TimelineOf, KnowsWhatIsLive) {
  const GpuSpec gpu = with_capacity("h200", 1e12);
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    const Timeline timeline = timeline_of(built.program, gpu);
    std::uint64_t last = 0;
    for_each_step(timeline, [&](const TimelineStep& step) {
      RC_ASSERT(step.live_bytes == step.live_cached_bytes);
      RC_ASSERT(step.live_bytes <= step.cached_bytes);
      last = step.live_bytes;
    });
    RC_ASSERT(last == 0U);
  }));
}

TEST_P(TimelineOf, FindsNothingInNoCache) {
  const GpuSpec gpu = with_capacity("h200", 0);
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    for_each_step(timeline_of(built.program, gpu), [&](const TimelineStep& step) {
      RC_ASSERT(step.cached_bytes == 0U);
      RC_ASSERT(step.near_bytes + step.home_bytes == 0U);
    });
  }));
}

namespace {

// flash2 of 8-byte rows in fp32 (2 columns), tiles of 4 rows, one CTA on each of `sms` SMs.
Timeline small_flash2(std::int64_t heads, std::int64_t tiles, std::int64_t sms, double capacity) {
  Plan plan;
  plan.problem = {.batch = 1,
                  .heads = heads,
                  .kv_heads = heads,
                  .seqlen_q = tiles * 4,
                  .seqlen_kv = tiles * 4,
                  .head_dim = 2,
                  .head_dim_v = 2,
                  .dtype = DataType::fp32};
  plan.tile = {.br = 4, .bc = 4};
  const Algorithm& algorithm = find_algorithm("flash2");
  Program program;
  build_program(algorithm, find_variant(algorithm, "paper"), plan, program);
  GpuSpec gpu = with_capacity("l4", capacity);
  gpu.sms = sms;
  return timeline_of(program, gpu);
}

}  // namespace

// One CTA takes two q tiles after another: K and V of two tiles are 2 · 2 · 32 bytes, read by both. 14
// accesses (Q; K, V twice; O, LSE) are 14 steps: each tile of K and V lives from its first read to its
// second.
TEST(Timeline, FollowsLiveBytesAccessByAccess) {
  const Timeline timeline = small_flash2(1, 2, 1, 1e12);
  ASSERT_EQ(timeline.launches.size(), 1U);
  EXPECT_EQ(timeline.launches[0].accesses, 14U);
  std::vector<std::uint64_t> live;
  std::vector<std::uint64_t> dram;
  for_each_step(timeline, [&](const TimelineStep& step) {
    live.push_back(step.live_bytes);
    dram.push_back(step.dram_bytes);
    EXPECT_EQ(step.heads, 1U);
  });
  EXPECT_EQ(live, (std::vector<std::uint64_t>{0, 32, 64, 96, 128, 128, 128, 128, 96, 64, 32, 0, 0, 0}));
  EXPECT_EQ(dram, (std::vector<std::uint64_t>{32, 32, 32, 32, 32, 0, 0, 32, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(timeline.hbm_read_bytes, 192U);
}

// Six SMs hold the four CTAs of a head and two of the next; later two heads, or two halves.
TEST(Timeline, CountsHeadsInFlight) {
  const Timeline timeline = small_flash2(3, 4, 6, 1e12);
  EXPECT_EQ(timeline.launches[0].steps.front().heads, 2U);
  EXPECT_EQ(small_flash2(3, 4, 12, 1e12).launches[0].steps.front().heads, 3U);
  EXPECT_EQ(small_flash2(3, 4, 4, 1e12).launches[0].steps.front().heads, 1U);
}

TEST(Timeline, HasEqualStepsInProportionToTheAccesses) {
  const Timeline timeline = small_flash2(3, 16, 6, 1e12);
  EXPECT_EQ(timeline.launches[0].accesses, 3U * 16U * (16U * 2U + 3U));
  EXPECT_EQ(timeline.launches[0].steps.size(), kTimelineSteps);
}

// What all SMs of an H200 read lies on both sides; what one reads, on three quarters of each.
TEST(L2Capacity, CountsCopies) {
  EXPECT_EQ(l2_geometry(load_gpu("h200")).shared_capacity(), 30 * kMiB / 48 * 47);
  EXPECT_EQ(l2_geometry(load_gpu("h200")).private_capacity(), 4 * (30 * kMiB / 48 * 47) / 3);
  EXPECT_EQ(l2_geometry(load_gpu("l4")).private_capacity(), l2_geometry(load_gpu("l4")).side_bytes);
  EXPECT_EQ(l2_geometry(load_gpu("mi300x")).shared_capacity(), 256 * kMiB);
}

}  // namespace hbmscope::test
