#include "sim/gpu_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hbmscope {

// What a description says twice in the same words, it says completely: every key of the format is in one of
// these files or in the calibrated GPU below.
TEST(GpuToml, IsReadAsTheSameGpuAgain) {
  for (const std::string& name : gpu_names()) {
    SCOPED_TRACE(name);
    const GpuSpec gpu = load_gpu(name);
    const std::string text = gpu_toml(gpu);
    const GpuSpec again = parse_gpu(text, "again.toml");
    EXPECT_EQ(gpu_toml(again), text);
    EXPECT_EQ(again.sms, gpu.sms);
    EXPECT_EQ(again.sm_runs.size(), gpu.sm_runs.size());
    EXPECT_EQ(again.caches.size(), gpu.caches.size());
    EXPECT_EQ(again.l2().capacity_bytes.value, gpu.l2().capacity_bytes.value);
    EXPECT_EQ(again.l2().capacity_bytes.source, gpu.l2().capacity_bytes.source);
    EXPECT_EQ(again.l2().home_rule, gpu.l2().home_rule);
    EXPECT_EQ(again.caches.back().memory_side, gpu.caches.back().memory_side);
    EXPECT_EQ(again.tensor_flops_bf16.has_value(), gpu.tensor_flops_bf16.has_value());
    EXPECT_EQ(again.hbm_bytes_per_s.value, gpu.hbm_bytes_per_s.value);
    EXPECT_EQ(again.limits.shared_bytes_per_cta, gpu.limits.shared_bytes_per_cta);
    EXPECT_EQ(again.compute_capability, gpu.compute_capability);
    EXPECT_EQ(again.dies, gpu.dies);
  }
}

namespace {

void expect_same_rates(const KernelCtaRates& one, const KernelCtaRates& other) {
  EXPECT_EQ(one.kernel, other.kernel);
  EXPECT_EQ(one.br, other.br);
  EXPECT_EQ(one.head_dim, other.head_dim);
  EXPECT_EQ(one.source, other.source);
  EXPECT_EQ(one.measured, other.measured);
  ASSERT_EQ(one.builds.size(), other.builds.size());
  for (std::size_t i = 0; i < one.builds.size(); ++i) {
    const BuildCtaRates& build = one.builds[i];
    const BuildCtaRates& same = other.builds[i];
    EXPECT_EQ(build.mask, same.mask);
    EXPECT_EQ(build.order, same.order);
    EXPECT_EQ(build.kv_walk, same.kv_walk);
    EXPECT_EQ(build.bc, same.bc);
    EXPECT_EQ(build.rates.younger, same.rates.younger);
    EXPECT_EQ(build.rates.further, same.rates.further);
    EXPECT_EQ(build.rates.lone, same.rates.lone);
    EXPECT_EQ(build.rates.stall, same.rates.stall);
    EXPECT_EQ(build.rates.quiet_stall, same.rates.quiet_stall);
    EXPECT_EQ(build.rates.shared_stall, same.rates.shared_stall);
    EXPECT_EQ(build.rates.ctas_per_sm, same.rates.ctas_per_sm);
  }
}

}  // namespace

TEST(GpuToml, KeepsWhatWasMeasured) {
  GpuSpec gpu = load_gpu("l4");
  const auto measured = [](double value) { return SourcedValue{value, true, "a \"test\""}; };
  gpu.younger_cta_rate = measured(0.5);
  gpu.lone_cta_rate = measured(2);
  const CtaRates of_three{.younger = 0.75,
                          .further = 0.625,
                          .lone = 1.25,
                          .stall = 0.5,
                          .quiet_stall = 0.125,
                          .shared_stall = {0.25, 0.375, 0.5},
                          .ctas_per_sm = 3};
  const CtaRates of_two{.younger = 0.5, .further = 0.5, .lone = 3};
  gpu.cta_rates = {{"one",
                    128,
                    64,
                    "a \"test\"",
                    true,
                    {{Mask::window, Order::q_fastest, Walk::up, 128, of_three}, {{}, {}, {}, {}, of_two}}},
                   {"two", 64, 128, "another", false, {{Mask::causal, {}, Walk::alternating, {}, of_two}}}};
  gpu.shared_step_deviation = measured(0.02);
  gpu.lone_sm_deviation = measured(0.003);
  gpu.gpc_clock_deviation = measured(0.002);
  gpu.measured.hbm_copy_bytes_per_s = measured(1e11);
  gpu.measured.sram_bytes_per_clock_per_sm = measured(127.5);
  gpu.measured.exp_per_clock_per_sm = measured(15.9);
  gpu.measured.tensor_flops_per_clock_per_sm_bf16 = measured(1000);
  gpu.measured.tensor_flops_per_clock_per_sm_fp16 = measured(1001);
  gpu.measured.l2_latency_clocks = measured(310);
  gpu.measured.hbm_latency_clocks = measured(710);
  gpu.measured.launch_ns = measured(2500);
  gpu.measured.cta_start_skew_ns = measured(96);
  gpu.sm_runs = {{.sms = 58, .side = 0}};
  gpu.sm_runs_rotate = true;
  CacheLevel& l2 = gpu.caches.front();
  l2.replacement = "LRU";
  l2.ways = measured(12);
  l2.stretch_bytes = measured(1 << 20);
  l2.stretch_swaps = {1, 14};
  l2.reached_bytes = measured(47e6);
  l2.dirty_share = measured(0.125);
  const GpuSpec again = parse_gpu(gpu_toml(gpu), "again.toml");
  const auto expect_same = [](const std::optional<SourcedValue>& one,
                              const std::optional<SourcedValue>& other) {
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->value, other->value);
    EXPECT_EQ(one->source, other->source);
    EXPECT_TRUE(one->measured && other->measured);
  };
  EXPECT_TRUE(again.sm_runs_rotate);
  expect_same(again.younger_cta_rate, gpu.younger_cta_rate);
  expect_same(again.lone_cta_rate, gpu.lone_cta_rate);
  ASSERT_EQ(again.cta_rates.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) expect_same_rates(again.cta_rates[i], gpu.cta_rates[i]);
  expect_same(again.measured.hbm_copy_bytes_per_s, gpu.measured.hbm_copy_bytes_per_s);
  expect_same(again.measured.sram_bytes_per_clock_per_sm, gpu.measured.sram_bytes_per_clock_per_sm);
  expect_same(again.measured.exp_per_clock_per_sm, gpu.measured.exp_per_clock_per_sm);
  expect_same(again.measured.tensor_flops_per_clock_per_sm_bf16,
              gpu.measured.tensor_flops_per_clock_per_sm_bf16);
  expect_same(again.measured.tensor_flops_per_clock_per_sm_fp16,
              gpu.measured.tensor_flops_per_clock_per_sm_fp16);
  expect_same(again.measured.l2_latency_clocks, gpu.measured.l2_latency_clocks);
  expect_same(again.measured.hbm_latency_clocks, gpu.measured.hbm_latency_clocks);
  expect_same(again.measured.launch_ns, gpu.measured.launch_ns);
  expect_same(again.measured.cta_start_skew_ns, gpu.measured.cta_start_skew_ns);
  expect_same(again.l2().ways, l2.ways);
  expect_same(again.l2().stretch_bytes, l2.stretch_bytes);
  expect_same(again.l2().reached_bytes, l2.reached_bytes);
  EXPECT_EQ(again.l2().stretch_swaps, l2.stretch_swaps);
  expect_same(again.shared_step_deviation, gpu.shared_step_deviation);
  expect_same(again.lone_sm_deviation, gpu.lone_sm_deviation);
  expect_same(again.gpc_clock_deviation, gpu.gpc_clock_deviation);
  expect_same(again.l2().dirty_share, l2.dirty_share);
  EXPECT_EQ(again.l2().replacement, "LRU");
  ASSERT_EQ(again.sm_runs.size(), 1U);
  EXPECT_EQ(again.sm_runs[0].sms, 58);
}

TEST(GpuToml, PutsTheCommentAbove) {
  EXPECT_THAT(gpu_toml(load_gpu("l4"), "one\ntwo"), testing::StartsWith("# one\n# two\nname = \"l4\"\n"));
}

}  // namespace hbmscope
