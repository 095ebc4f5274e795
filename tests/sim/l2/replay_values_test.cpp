#include "sim/l2/replay_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "sim/l2/l2_geometry.h"

namespace hbmscope {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReplayValues, TheH200LacksNothing) {
  const ReplayValues values = replay_values(load_gpu("h200"));
  EXPECT_EQ(values.ways, 16U);
  EXPECT_EQ(values.stretch_bytes, 4 * 47 * 4 * kKiB);
  EXPECT_EQ(values.stretch_swaps.size(), 11U);
  EXPECT_EQ(values.dirty_share, 0.47);
  EXPECT_EQ(values.shared_step_deviation, 0.033);
  EXPECT_EQ(values.lone_sm_deviation, 0.00072);
  EXPECT_EQ(values.gpc_clock_deviation, 0.00087);
  EXPECT_THAT(assumed_values(load_gpu("h200")), IsEmpty());
}

TEST(ReplayValues, OtherGpusTakeTheH200sWhereTheyLackTheirOwn) {
  GpuSpec gpu = load_gpu("a100-80");
  EXPECT_THAT(assumed_values(gpu),
              ElementsAre("ways", "stretch", "dirty share", "rate of the younger CTA", "rate of a lone CTA",
                          "deviation of steps", "deviation of lone SMs", "deviation of clocks"));
  gpu.caches.front().ways = SourcedValue{12, true, "test"};
  gpu.caches.front().dirty_share = SourcedValue{0.25, true, "test"};
  gpu.lone_cta_rate = SourcedValue{1.5, true, "test"};
  EXPECT_THAT(assumed_values(gpu), ElementsAre("stretch", "rate of the younger CTA", "deviation of steps",
                                               "deviation of lone SMs", "deviation of clocks"));
  const ReplayValues values = replay_values(gpu);
  EXPECT_EQ(values.ways, 12U);
  EXPECT_EQ(values.stretch_bytes, replay_values(load_gpu("h200")).stretch_bytes);
  EXPECT_EQ(values.stretch_swaps, replay_values(load_gpu("h200")).stretch_swaps);
}

// Another GPU's swaps say nothing of stretches of its own.
TEST(ReplayValues, AStretchWithoutSwapsTakesNone) {
  GpuSpec gpu = load_gpu("a100-80");
  gpu.caches.front().stretch_bytes = SourcedValue{512.0 * kKiB, true, "test"};
  EXPECT_THAT(replay_values(gpu).stretch_swaps, IsEmpty());
}

namespace {

// A launch of this kernel in a program with this head dim.
std::unique_ptr<Program> with_kernel(std::string_view kernel, std::int64_t head_dim, std::int64_t br = 128) {
  auto program = std::make_unique<Program>();
  program->problem.head_dim = head_dim;
  Launch& launch = program->launches.add();
  launch.kernel = kernel;
  launch.macros.push({"HBMSCOPE_BC", 16});
  launch.macros.push({"HBMSCOPE_BR", br});
  return program;
}

CtaRates rates_of(const Program& program, const GpuSpec& gpu) {
  return cta_rates(program.launches[0], program, gpu);
}

// One kernel in two tiles, one of them at two head dims, and rates for all others.
GpuSpec with_rates() {
  const auto value = [](double number) { return SourcedValue{number, true, "test"}; };
  GpuSpec gpu = load_gpu("a100-80");
  gpu.younger_cta_rate = value(0.5);
  gpu.lone_cta_rate = value(2);
  const auto one_build = [](const CtaRates& rates) {
    return std::vector<BuildCtaRates>{{{}, {}, {}, {}, rates}};
  };
  gpu.cta_rates = {
      {"traced", 128, 128, "test", true,
       one_build({.younger = 0.8, .further = 0.8, .lone = 1.8, .stall = 0.5})},
      {"traced", 128, 64, "test", true,
       one_build(
           {.younger = 0.9, .further = 0.7, .lone = 1.4, .shared_stall = {0.1, 0.2, 0.4}, .ctas_per_sm = 3})},
      {"traced", 64, 64, "test", true, one_build({.younger = 0.7, .further = 0.7, .lone = 1.1})}};
  return gpu;
}

}  // namespace

TEST(CtaRates, AreThoseOfTheKernelBetweenTheHeadDimsThatWereMeasured) {
  const GpuSpec gpu = with_rates();
  const auto expect = [&](std::int64_t head_dim, double younger, double further, double lone, double stall,
                          double shared_stall) {
    const CtaRates rates = rates_of(*with_kernel("traced", head_dim), gpu);
    EXPECT_DOUBLE_EQ(rates.younger, younger) << head_dim;
    EXPECT_DOUBLE_EQ(rates.further, further) << head_dim;
    EXPECT_DOUBLE_EQ(rates.lone, lone) << head_dim;
    EXPECT_DOUBLE_EQ(rates.stall, stall) << head_dim;
    for (std::size_t i = 0; i < rates.shared_stall.size(); ++i)
      EXPECT_DOUBLE_EQ(rates.shared_stall[i], shared_stall * static_cast<double>(1 << i)) << head_dim;
    EXPECT_EQ(rates.ctas_per_sm, head_dim < 128 ? 3 : 2) << head_dim;
  };
  expect(64, 0.9, 0.7, 1.4, 0, 0.1);
  expect(128, 0.8, 0.8, 1.8, 0.5, 0);
  expect(96, 0.85, 0.75, 1.6, 0.25, 0.05);
  expect(32, 0.9, 0.7, 1.4, 0, 0.1);
  expect(256, 0.8, 0.8, 1.8, 0.5, 0);
}

TEST(CtaRates, AreThoseOfTheNearestTile) {
  const GpuSpec gpu = with_rates();
  EXPECT_EQ(rates_of(*with_kernel("traced", 128, 64), gpu).younger, 0.7);
  EXPECT_EQ(rates_of(*with_kernel("traced", 128, 16), gpu).younger, 0.7);
  EXPECT_EQ(rates_of(*with_kernel("traced", 128, 256), gpu).younger, 0.8);
  EXPECT_EQ(rates_of(*with_kernel("traced", 128, 96), gpu).younger, 0.8);  // as near to either: the larger
}

TEST(CtaRates, OfOtherKernelsAreThoseThatStandForAll) {
  const CtaRates rates = rates_of(*with_kernel("another", 64), with_rates());
  EXPECT_EQ(rates.younger, 0.5);
  EXPECT_EQ(rates.further, 0.5);
  EXPECT_EQ(rates.lone, 2);
}

TEST(CtaRates, WhatADescribedKernelSaysGoesBefore) {
  const auto program = with_kernel("traced", 64);
  program->launches[0].younger_cta_rate = 1;
  const CtaRates rates = rates_of(*program, with_rates());
  EXPECT_EQ(rates.younger, 1);
  EXPECT_EQ(rates.further, 1);
  EXPECT_EQ(rates.lone, 1.4);
}

// A mask, an order and a walk are compiled in. A kernel that is compiled for none of them has one build; the
// first stands for those that were not measured.
TEST(CtaRates, AreThoseOfTheBuild) {
  GpuSpec gpu = with_rates();
  gpu.cta_rates.resize(1);
  gpu.cta_rates[0].builds = {{Mask::full, Order::q_fastest, Walk::up, {}, {.younger = 0.81}},
                             {Mask::causal, Order::q_fastest, Walk::up, {}, {.younger = 0.82}},
                             {Mask::full, Order::head_fastest, Walk::up, {}, {.younger = 0.83}},
                             {Mask::full, Order::q_fastest, Walk::down, {}, {.younger = 0.84}},
                             {Mask::window, {}, {}, {}, {.younger = 0.85}}};
  const auto younger = [&](Mask mask, Order order, Walk walk) {
    const auto program = with_kernel("traced", 128);
    program->launches[0].macros.push({"HBMSCOPE_MASK", static_cast<int>(mask)});
    program->launches[0].macros.push({"HBMSCOPE_HEAD_FASTEST", static_cast<int>(order)});
    program->launches[0].macros.push({"HBMSCOPE_KV_WALK", static_cast<int>(walk)});
    return rates_of(*program, gpu).younger;
  };
  EXPECT_EQ(younger(Mask::full, Order::q_fastest, Walk::up), 0.81);
  EXPECT_EQ(younger(Mask::causal, Order::q_fastest, Walk::up), 0.82);
  EXPECT_EQ(younger(Mask::full, Order::head_fastest, Walk::up), 0.83);
  EXPECT_EQ(younger(Mask::full, Order::q_fastest, Walk::down), 0.84);
  EXPECT_EQ(younger(Mask::window, Order::head_fastest, Walk::alternating), 0.85);
  EXPECT_EQ(younger(Mask::causal, Order::head_fastest, Walk::up), 0.81);
  EXPECT_EQ(rates_of(*with_kernel("traced", 128), gpu).younger, 0.81);
}

// Of several lengths of K/V tiles the nearest one's rates are taken.
TEST(CtaRates, AreThoseOfTheNearestBc) {
  GpuSpec gpu = with_rates();
  gpu.cta_rates.resize(1);
  gpu.cta_rates[0].builds = {{Mask::full, {}, {}, 64, {.younger = 0.81}},
                             {Mask::causal, {}, {}, 64, {.younger = 0.82}},
                             {Mask::full, {}, {}, 128, {.younger = 0.83}},
                             {Mask::causal, {}, {}, 128, {.younger = 0.84}}};
  const auto rates = [&](std::int64_t bc) {
    const auto program = with_kernel("traced", 128);
    for (Macro& macro : program->launches[0].macros) {
      if (macro.name == "HBMSCOPE_BC") macro.value = bc;
    }
    program->launches[0].macros.push({"HBMSCOPE_MASK", static_cast<int>(Mask::causal)});
    return rates_of(*program, gpu);
  };
  EXPECT_EQ(rates(16).younger, 0.82);
  EXPECT_EQ(rates(16).tiles, 0.25);
  EXPECT_EQ(rates(64).younger, 0.82);
  EXPECT_EQ(rates(112).younger, 0.84);
  EXPECT_EQ(rates(128).younger, 0.84);
  EXPECT_EQ(rates(128).tiles, 1);
  EXPECT_EQ(rates(256).tiles, 2);
}

// K/V tiles and ring slots are those that the launch was compiled for, in measured ones: 64 keys, one slot.
TEST(CtaRates, KnowTilesAndSlots) {
  const auto program = with_kernel("traced", 64);
  EXPECT_EQ(rates_of(*program, with_rates()).tiles, 0.25);
  EXPECT_EQ(rates_of(*program, with_rates()).stages, 1);
  program->launches[0].macros.push({"HBMSCOPE_STAGES", 2});
  EXPECT_EQ(rates_of(*program, with_rates()).stages, 2);
}

TEST(CtaRates, SayHowFastACtaGoesBesideOlderOnes) {
  const CtaRates rates{.younger = 0.9, .further = 0.8};
  EXPECT_DOUBLE_EQ(rates.with_older(0), 1);
  EXPECT_DOUBLE_EQ(rates.with_older(1), 0.9);
  EXPECT_DOUBLE_EQ(rates.with_older(3), 0.9 * 0.8 * 0.8);
}

// A GPU on which nobody measured any takes the H200's, by kernel; one with rates of its own for all kernels
// does not mix them with another GPU's.
TEST(CtaRates, OfAGpuWithoutAnyAreTheH200s) {
  GpuSpec gpu = load_gpu("a100-80");
  const auto program = with_kernel("flash1_mma", 128);
  const CtaRates h200 = rates_of(*program, load_gpu("h200"));
  EXPECT_EQ(rates_of(*program, gpu).younger, h200.younger);
  EXPECT_EQ(rates_of(*program, gpu).lone, h200.lone);
  EXPECT_GT(h200.younger, rates_of(*with_kernel("flash2_mma", 80), gpu).younger);
  EXPECT_EQ(rates_of(*program, gpu).stall, h200.stall);
  EXPECT_GT(h200.stall, 0.3);
  gpu.younger_cta_rate = SourcedValue{0.5, true, "test"};
  EXPECT_EQ(rates_of(*program, gpu).younger, 0.5);
  gpu.younger_cta_rate.reset();
  gpu.lone_cta_rate = SourcedValue{1.9, true, "test"};
  EXPECT_EQ(rates_of(*program, gpu).lone, 1.9);
}

// 40 MiB on two sides: a way of a side is 1.25 MiB of 16 and takes the lines of 2.5 MiB, three stretches.
TEST(ReplayValues, DecideOnTheGeometry) {
  GpuSpec gpu = load_gpu("a100-80");
  EXPECT_EQ(l2_geometry(gpu).groups, 3);
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
