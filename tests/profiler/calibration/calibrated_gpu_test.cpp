#include "profiler/calibration/calibrated_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "profiler/calibration/calibrate.h"
#include "sim/error.h"
#include "sim/gpu_toml.h"
#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DriverFacts h200_facts() {
  return {.full_name = "NVIDIA H200",
          .compute_capability = 90,
          .sms = 132,
          .clock_hz = 1.98e9,
          .memory_clock_hz = 3.201e9,
          .memory_bus_bits = 6144,
          .memory_bytes = 150'000'000'000,
          .l2_bytes = 60 * kMiB,
          .limits = load_gpu("h200").limits,
          .driver = "580"};
}

// All that a run can find.
BuildCtaRates full_build(const CtaRates& rates) {
  return {Mask::full, Order::q_fastest, Walk::up, 64, rates};
}

Findings whole_findings() {
  Findings findings;
  findings.bounds = LatencyBounds{true, 380, 505, 60};
  findings.home_rule = "parity of address bits 12, 13";
  findings.copies = 2;
  findings.ways = 16;
  findings.replacement = "LRU";
  findings.sm_runs = {{.sms = 100, .side = 0}, {.sms = 32, .side = 1}};
  findings.dirty_share = 0.47;
  findings.rates = {.hbm_read_bytes_per_s = 4.31234e12,
                    .hbm_copy_bytes_per_s = 4.2e12,
                    .l2_bytes_per_s = 9.9e12,
                    .sram_bytes_per_clock_per_sm = 127.9,
                    .exp_per_clock_per_sm = 15.99,
                    .bf16_flops_per_clock_per_sm = 2500,
                    .fp16_flops_per_clock_per_sm = 2510,
                    .l2_latency_clocks = 310,
                    .hbm_latency_clocks = 710,
                    .launch_ns = 2400,
                    .cta_start_skew_ns = 96};
  findings.rows = MemoryRows{.row_pages = 47, .classes = 20, .swaps = {6, 7, 4}};
  const CtaRates of_three{.younger = 0.88,
                          .further = 0.7,
                          .lone = 1.4,
                          .stall = 0.5,
                          .shared_stall = {0.07, 0.12345, 0.3},
                          .ctas_per_sm = 3};
  findings.cta_rates = {
      {"flash2_mma",
       128,
       64,
       full_build({.younger = 0.9, .further = 0.9, .lone = 1.3}),
       {0.01, 0.001, 0.0003}},
      {"flash2_mma", 64, 128, full_build(of_three), {0.02, 0.002, 0.00123}},
      {"flash2_mma",
       64,
       128,
       {Mask::causal, Order::q_fastest, Walk::up, 64, of_three},
       {0.02, 0.002, 0.00123}},
      {"flash1_mma",
       128,
       64,
       {{}, {}, {}, {}, {.younger = 0.9994, .lone = 1.7, .stall = 0.35, .quiet_stall = 0.20004}},
       {0.9, 0.9, 0.9}}};
  return findings;
}

}  // namespace

TEST(CalibratedGpu, IsReadAgainAndSaysHowAndWhen) {
  const CalibratedGpu calibrated =
      calibrated_gpu(load_gpu("a100-80"), h200_facts(), whole_findings(), "hbmscope calibrate, 2026-11-30");
  EXPECT_THAT(calibrated.refused, ElementsAre(HasSubstr("HBM read"), HasSubstr("HBM copy"), HasSubstr("bf16"),
                                              HasSubstr("fp16")));
  GpuSpec described = load_gpu("h200");
  const CalibratedGpu own =
      calibrated_gpu(described, h200_facts(), whole_findings(), "hbmscope calibrate, 2026-11-30");
  EXPECT_THAT(own.refused, IsEmpty());
  const GpuSpec gpu = parse_gpu(gpu_toml(own.gpu), "written.toml");
  EXPECT_THAT(assumed_values(gpu), IsEmpty());
  for (const auto& value :
       {gpu.l2().ways, gpu.l2().stretch_bytes, gpu.l2().dirty_share, gpu.younger_cta_rate, gpu.lone_cta_rate,
        gpu.hbm_bytes_per_s_measured, gpu.l2_bytes_per_s, gpu.measured.hbm_copy_bytes_per_s,
        gpu.measured.sram_bytes_per_clock_per_sm, gpu.measured.exp_per_clock_per_sm,
        gpu.measured.tensor_flops_per_clock_per_sm_bf16, gpu.measured.tensor_flops_per_clock_per_sm_fp16,
        gpu.measured.l2_latency_clocks, gpu.measured.hbm_latency_clocks, gpu.measured.launch_ns,
        gpu.measured.cta_start_skew_ns}) {
    ASSERT_TRUE(value);
    EXPECT_TRUE(value->measured);
    EXPECT_THAT(value->source, HasSubstr("hbmscope calibrate, 2026-11-30"));
  }
  EXPECT_EQ(gpu.hbm_bytes_per_s_measured->value, 4.31e12);
  EXPECT_EQ(gpu.l2().stretch_bytes->value, 4 * 47 * 4096);
  EXPECT_EQ(gpu.l2().reached_bytes->value, 61603840);
  EXPECT_EQ(gpu.l2().stretch_swaps, (std::vector<std::int64_t>{6, 7, 4}));
  EXPECT_NEAR(gpu.shared_step_deviation->value, 0.02, 1e-9);  // of flash2's builds
  EXPECT_NEAR(gpu.lone_sm_deviation->value, 0.002, 1e-9);
  EXPECT_NEAR(gpu.gpc_clock_deviation->value, 0.0012, 1e-9);
  EXPECT_NEAR(gpu.younger_cta_rate->value, 0.88, 1e-9);
  EXPECT_NEAR(gpu.lone_cta_rate->value, 1.4, 1e-9);
  ASSERT_EQ(gpu.cta_rates.size(), 3U);
  EXPECT_EQ(gpu.cta_rates[1].kernel, "flash2_mma");
  EXPECT_EQ(gpu.cta_rates[1].br, 64);
  EXPECT_EQ(gpu.cta_rates[1].head_dim, 128);
  ASSERT_EQ(gpu.cta_rates[1].builds.size(), 2U);
  EXPECT_EQ(gpu.cta_rates[1].builds[1].mask, Mask::causal);
  EXPECT_EQ(gpu.cta_rates[1].builds[1].bc, 64);
  const CtaRates& rates = gpu.cta_rates[1].builds[1].rates;
  EXPECT_EQ(rates.younger, 0.88);
  EXPECT_EQ(rates.further, 0.7);
  EXPECT_EQ(rates.lone, 1.4);
  EXPECT_EQ(rates.stall, 0.5);
  EXPECT_THAT(rates.shared_stall, ElementsAre(0.07, 0.123, 0.3));
  EXPECT_EQ(rates.ctas_per_sm, 3);
  EXPECT_THAT(gpu.cta_rates[2].source, HasSubstr("hbmscope calibrate, 2026-11-30"));
  EXPECT_TRUE(gpu.cta_rates[2].measured);
  ASSERT_EQ(gpu.cta_rates[2].builds.size(), 1U);
  EXPECT_FALSE(gpu.cta_rates[2].builds[0].mask);
  EXPECT_EQ(gpu.cta_rates[2].builds[0].rates.younger, 0.999);  // three digits
  EXPECT_EQ(gpu.cta_rates[2].builds[0].rates.stall, 0.35);
  EXPECT_EQ(gpu.cta_rates[2].builds[0].rates.quiet_stall, 0.2);
  EXPECT_EQ(gpu.cta_rates[0].builds[0].rates.stall, 0);
  EXPECT_EQ(gpu.sm_runs.size(), 2U);
  EXPECT_FALSE(gpu.sm_runs_rotate);
  EXPECT_EQ(gpu.l2().home_rule, "parity of address bits 12, 13");
  // What was published stays.
  EXPECT_EQ(gpu.hbm_bytes_per_s.value, described.hbm_bytes_per_s.value);
  EXPECT_EQ(gpu.tensor_flops_bf16->value, described.tensor_flops_bf16->value);
  EXPECT_EQ(gpu.sram_bytes_per_clock_per_sm.source, described.sram_bytes_per_clock_per_sm.source);
}

TEST(CalibratedGpu, WhatWasNotFoundStaysAsItWas) {
  const GpuSpec before = load_gpu("h200");
  const CalibratedGpu after = calibrated_gpu(before, h200_facts(), {}, "test");
  EXPECT_EQ(gpu_toml(after.gpu), gpu_toml(before));
}

TEST(CalibratedGpu, RefusesStepsSmsAndClocksThatDifferByAThird) {
  Findings findings;
  findings.cta_rates = {
      {"flash2_mma", 128, 64, full_build({.younger = 0.9, .further = 0.9, .lone = 1.3}), {0.4, 0.35, 0.31}}};
  const CalibratedGpu gpu = calibrated_gpu(load_gpu("a100-80"), h200_facts(), findings, "test");
  EXPECT_THAT(gpu.refused, ElementsAre(HasSubstr("deviation of steps"), HasSubstr("deviation of lone SMs"),
                                       HasSubstr("deviation of clocks")));
  EXPECT_FALSE(gpu.gpu.shared_step_deviation || gpu.gpu.lone_sm_deviation || gpu.gpu.gpc_clock_deviation);
}

// Where nobody looked at rows, or they are no whole stretches.
TEST(CalibratedGpu, WithoutRowsAStretchIsAPowerOfTwo) {
  Findings findings;
  findings.ways = 16;
  const CacheLevel none = calibrated_gpu(load_gpu("a100-80"), h200_facts(), findings, "test").gpu.l2();
  EXPECT_EQ(none.stretch_bytes.value().value, 262144);
  EXPECT_FALSE(none.reached_bytes);
  // Rows of an earlier run stay.
  const CacheLevel before = calibrated_gpu(load_gpu("h200"), h200_facts(), findings, "test").gpu.l2();
  EXPECT_EQ(before.stretch_bytes.value().value, 4 * 47 * 4096);
  EXPECT_EQ(before.stretch_swaps.size(), 11U);
  findings.rows = MemoryRows{.row_pages = 47, .classes = 18, .swaps = {1}};
  const CacheLevel odd = calibrated_gpu(load_gpu("h200"), h200_facts(), findings, "test").gpu.l2();
  EXPECT_EQ(odd.stretch_bytes.value().value, 262144);
  EXPECT_TRUE(odd.stretch_swaps.empty());
  EXPECT_FALSE(odd.reached_bytes);
}

TEST(CalibratedGpu, OneSideForgetsAnOrderOfTwo) {
  Findings findings;
  findings.bounds = LatencyBounds{false, 300, 300, 60};
  const CalibratedGpu gpu = calibrated_gpu(load_gpu("h200"), h200_facts(), findings, "test");
  EXPECT_EQ(gpu.gpu.l2().instances, 1);
  EXPECT_EQ(gpu.gpu.l2().copies, 1);
  EXPECT_TRUE(gpu.gpu.sm_runs.empty());
  EXPECT_NO_THROW(parse_gpu(gpu_toml(gpu.gpu), "written.toml"));
}

TEST(CalibratedGpu, TheDriverDescribesAGpuThatNobodyDid) {
  EXPECT_THROW(described_by_driver(h200_facts(), {}, "GH100"), std::runtime_error);
  const GpuSpec described = described_by_driver(h200_facts(), whole_findings(), "GH100");
  const CalibratedGpu calibrated = calibrated_gpu(described, h200_facts(), whole_findings(), "test");
  EXPECT_THAT(calibrated.refused, IsEmpty());
  const GpuSpec gpu = parse_gpu(gpu_toml(calibrated.gpu), "written.toml");
  EXPECT_EQ(gpu.tensor_flops_bf16.value().value, 4096);
  EXPECT_NEAR(gpu.hbm_bytes_per_s.value, 4.917e12, 1e9);
  EXPECT_EQ(gpu.sms, 132);
  EXPECT_EQ(gpu.l2().instances, 2);
  EXPECT_EQ(gpu.limits.shared_bytes_per_cta, 232448);
}

TEST(CalibrationSteps, OnlyBringsWhatAStepNeeds) {
  EXPECT_EQ(chosen_steps({}).size(), calibration_steps().size());
  EXPECT_THAT(chosen_steps({"rates", "sets"}), ElementsAre("sides", "sets", "rates"));
  EXPECT_THAT(chosen_steps({"ctas"}), ElementsAre("ctas"));
  EXPECT_THAT(chosen_steps({"rows"}), ElementsAre("sides", "homes", "sets", "rows"));
  try {
    chosen_steps({"rate"});
    FAIL() << "rate was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--only");
    EXPECT_EQ(error.value(), "rate");
    EXPECT_THAT(error.accepted(),
                HasSubstr("sides, homes, order, states, sets, rows, writes, rates, ctas, patterns"));
  }
}

}  // namespace hbmscope
