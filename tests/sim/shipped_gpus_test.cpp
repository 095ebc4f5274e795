// The descriptions in configs/gpus/ against datasheets and the limits of their compute capability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/gpu.h"

namespace hbmscope {
namespace {

// Dense, from the datasheets. An absent rate: the tensor cores do not take the type.
struct Datasheet {
  const char* name;
  double fp16_tflops;
  std::optional<double> bf16_tflops;
  double fp32_tflops;  // TF32, or plain FP32 where there is none
  std::optional<double> fp8_tflops;
  double hbm_gb;
  double hbm_gb_per_s;
  std::int64_t l2_mib;
};

// Of a compute capability, from the CUDA programming guide.
struct Limits {
  std::int64_t compute_capability;
  std::int64_t threads_per_sm, ctas_per_sm;
  std::int64_t shared_kib_per_sm, shared_kib_per_cta;
};

// Datasheets round to 0.1 TFLOP/s or three digits.
void expect_rate(const std::optional<SourcedValue>& per_clock_per_sm, double sms_times_clock_hz,
                 std::optional<double> tflops) {
  ASSERT_EQ(per_clock_per_sm.has_value(), tflops.has_value());
  if (!tflops) return;
  EXPECT_NEAR(per_clock_per_sm->value * sms_times_clock_hz / 1e12, *tflops, std::max(0.003 * *tflops, 0.05));
}

}  // namespace

TEST(ShippedGpus, PeaksAreTheDatasheets) {
  const std::vector<Datasheet> sheets{
      {"v100", 125, {}, 15.7, {}, 16, 900, 6},
      {"t4", 65, {}, 8.1, {}, 16, 320, 4},
      {"a100-40", 312, 312, 156, {}, 40, 1555, 40},
      {"a100-80", 312, 312, 156, {}, 80, 2039, 40},
      {"a100-80-pcie", 312, 312, 156, {}, 80, 1935, 40},
      {"a10", 125, 125, 62.5, {}, 24, 600, 6},
      {"l4", 121, 121, 60.5, 242, 24, 300, 48},
      {"l40s", 362, 362, 183, 733, 48, 864, 96},
      {"rtx3090", 71, 71, 35.6, {}, 24, 936, 6},
      {"rtx4090", 165, 165, 82.6, 330, 24, 1008, 72},
      {"rtx5090", 209.5, 209.5, 104.8, 419, 32, 1792, 96},
      {"h100-sxm", 989.4, 989.4, 494.7, 1979, 80, 3350, 50},
      {"h100-pcie", 756, 756, 378, 1513, 80, 2039, 50},
      {"h200", 989.4, 989.4, 494.7, 1979, 141, 4800, 60},
      {"gh200-96", 989.4, 989.4, 494.7, 1979, 96, 4000, 60},
      {"gh200-144", 989.4, 989.4, 494.7, 1979, 144, 4900, 60},
      {"b200", 2250, 2250, 1125, 4500, 180, 8000, 126},
      {"mi250x", 383, 383, 95.7, {}, 128, 3276.8, 16},
      {"mi300x", 1307.4, 1307.4, 653.7, 2614.9, 192, 5300, 32},
  };
  for (const Datasheet& sheet : sheets) {
    SCOPED_TRACE(sheet.name);
    const GpuSpec gpu = load_gpu(sheet.name);
    const double scale = static_cast<double>(gpu.sms) * gpu.tensor_clock_hz.value;
    // The L40S's datasheet gives fp16 at 2.49 GHz and the other types at 2.52 GHz.
    const double other_scale = gpu.name == "l40s" ? static_cast<double>(gpu.sms) * gpu.clock_hz.value : scale;
    expect_rate(gpu.tensor_flops_fp16, scale, sheet.fp16_tflops);
    expect_rate(gpu.tensor_flops_bf16, scale, sheet.bf16_tflops);
    expect_rate(gpu.tensor_flops_fp32, other_scale, sheet.fp32_tflops);
    expect_rate(gpu.tensor_flops_fp8, other_scale, sheet.fp8_tflops);
    ASSERT_TRUE(gpu.tensor_flops_per_s_datasheet.has_value());
    EXPECT_NEAR(gpu.tensor_flops_per_s_datasheet->value, sheet.fp16_tflops * 1e12,
                0.002e12 * sheet.fp16_tflops);
    EXPECT_DOUBLE_EQ(gpu.hbm_capacity_bytes.value, sheet.hbm_gb * 1e9);
    EXPECT_DOUBLE_EQ(gpu.hbm_bytes_per_s.value, sheet.hbm_gb_per_s * 1e9);
    EXPECT_DOUBLE_EQ(gpu.l2().capacity_bytes.value,
                     static_cast<double>(static_cast<Bytes>(sheet.l2_mib) * kMiB));
  }
  EXPECT_EQ(gpu_names().size(), sheets.size()) << "a shipped GPU is missing from this table";
}

TEST(ShippedGpus, LimitsAreThoseOfTheComputeCapability) {
  const std::vector<Limits> table{
      {70, 2048, 32, 96, 96},  {75, 1024, 16, 64, 64},   {80, 2048, 32, 164, 163},  {86, 1536, 16, 100, 99},
      {89, 1536, 24, 100, 99}, {90, 2048, 32, 228, 227}, {100, 2048, 32, 228, 227}, {120, 1536, 24, 100, 99},
  };
  for (const std::string& name : gpu_names()) {
    SCOPED_TRACE(name);
    const GpuSpec gpu = load_gpu(name);
    if (!gpu.compute_capability) continue;
    const auto expected = std::find_if(table.begin(), table.end(), [&](const Limits& limits) {
      return limits.compute_capability == *gpu.compute_capability;
    });
    ASSERT_NE(expected, table.end());
    EXPECT_EQ(gpu.limits.threads_per_sm, expected->threads_per_sm);
    EXPECT_EQ(gpu.limits.warps_per_sm * 32, gpu.limits.threads_per_sm);
    EXPECT_EQ(gpu.limits.ctas_per_sm, expected->ctas_per_sm);
    EXPECT_EQ(gpu.limits.threads_per_cta, 1024);
    EXPECT_EQ(gpu.limits.registers_per_sm, 65536);
    EXPECT_EQ(gpu.limits.registers_per_thread, 255);
    EXPECT_EQ(gpu.limits.shared_bytes_per_sm, expected->shared_kib_per_sm * 1024);
    EXPECT_EQ(gpu.limits.shared_bytes_per_cta, expected->shared_kib_per_cta * 1024);
    EXPECT_EQ(gpu.exp_per_clock_per_sm.value, 16);
  }
}

TEST(ShippedGpus, AllLoadAndGiveTheirSources) {
  std::set<std::string> driver_names;
  for (const std::string& name : gpu_names()) {
    SCOPED_TRACE(name);
    const GpuSpec gpu = load_gpu(name);
    EXPECT_EQ(gpu.name, name);
    EXPECT_TRUE(driver_names.insert(gpu.full_name).second) << "--gpu auto would not know which";
    EXPECT_GE(gpu.clock_hz.value, gpu.tensor_clock_hz.value);
    for (const SourcedValue& quantity : {gpu.clock_hz, gpu.hbm_bytes_per_s, gpu.sram_bytes_per_clock_per_sm,
                                         gpu.exp_per_clock_per_sm, gpu.caches.at(0).capacity_bytes}) {
      EXPECT_FALSE(quantity.source.empty());
    }
    // What is measured lies below what is promised.
    if (gpu.hbm_bytes_per_s_measured) {
      EXPECT_TRUE(gpu.hbm_bytes_per_s_measured->measured);
      EXPECT_LE(gpu.hbm_bytes_per_s_measured->value, gpu.hbm_bytes_per_s.value);
    }
    // What the driver keeps for a CTA is all that separates the two limits.
    EXPECT_EQ(gpu.limits.shared_bytes_per_cta + gpu.limits.shared_bytes_reserved,
              gpu.limits.shared_bytes_per_sm);
  }
}

TEST(ShippedGpus, CachesOfADieServeItsSms) {
  for (const std::string& name : gpu_names()) {
    SCOPED_TRACE(name);
    const GpuSpec gpu = load_gpu(name);
    for (const CacheLevel& level : gpu.caches) {
      EXPECT_LE(level.copies, level.instances);
      EXPECT_EQ(level.line_bytes % level.sector_bytes, 0);
      EXPECT_EQ(level.home_rule == "sm", level.sms_per_instance > 0);
      if (level.home_rule != "sm") continue;
      EXPECT_EQ(level.sms_per_instance * level.instances, gpu.sms);
    }
  }
  const GpuSpec mi300x = load_gpu("mi300x");
  ASSERT_EQ(mi300x.caches.size(), 2U);
  EXPECT_EQ(mi300x.l2().instances, 8);
  EXPECT_TRUE(mi300x.caches.back().memory_side);
  EXPECT_DOUBLE_EQ(mi300x.caches.back().capacity_bytes.value, 256.0 * kMiB);
  for (const char* one_partition : {"l4", "l40s", "rtx4090"})
    EXPECT_EQ(load_gpu(one_partition).l2().copies, 1);
  for (const char* two : {"a100-80", "h100-sxm", "h200", "gh200-96"}) EXPECT_EQ(load_gpu(two).l2().copies, 2);
}

}  // namespace hbmscope
