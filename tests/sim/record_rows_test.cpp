#include "sim/record_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {
namespace {

Record record_of(std::string_view algorithm, std::string_view variant, const Tile& tile) {
  Point point;
  point.gpu = "h200";
  point.algorithm = algorithm;
  point.variant = variant;
  point.tile = tile;
  return predict_record(point);
}

}  // namespace

TEST(LaunchRows, DescribeTheKernelAndHowItFillsTheGpu) {
  const Record record = record_of("flash2", "mma", {.br = 128, .bc = 64});
  const Flash2MmaShape shape{128, 64, 128, 1};
  ASSERT_EQ(record.launches.size(), 1U);
  const LaunchRow& row = record.launches[0];
  EXPECT_EQ(row.launch, "flash2");
  EXPECT_EQ(row.kernel, "flash2_mma");
  EXPECT_EQ(row.ctas, 4096 / 128 * 16);
  EXPECT_EQ(row.threads, shape.threads());
  EXPECT_EQ(row.shared_bytes, shape.shared_bytes());
  EXPECT_GE(row.ctas_per_sm.value(), 1);
  EXPECT_FALSE(row.limited_by.value().empty());
  EXPECT_DOUBLE_EQ(row.waves.value(), 512.0 / static_cast<double>(*row.ctas_per_sm * 132));
}

TEST(LaunchRows, AddUpToTheTotals) {
  for (const char* variant : {"mma", "paper"}) {
    const Record record = record_of("standard", variant, {});
    ASSERT_EQ(record.launches.size(), 3U);
    std::uint64_t flops = 0;
    std::uint64_t executed_flops = 0;
    for (const LaunchRow& row : record.launches) {
      flops += row.flops;
      executed_flops += row.executed_flops;
    }
    EXPECT_EQ(flops, record.prediction->flops);
    EXPECT_EQ(executed_flops, record.prediction->executed_flops);
    EXPECT_EQ(record.launches[0].exponentials, 0U);
    EXPECT_GE(record.launches[1].exponentials, 16U * 4096 * 4096);
  }
}

// Neither the paper's count nor a tile that the kernel does not take has a kernel to describe.
TEST(LaunchRows, LeaveOutWhatIsNotDescribed) {
  for (const Record& record : {record_of("flash2", "paper", {}), record_of("flash2", "mma", {.br = 17})}) {
    ASSERT_EQ(record.launches.size(), 1U);
    const LaunchRow& row = record.launches[0];
    EXPECT_EQ(row.kernel, std::nullopt);
    EXPECT_EQ(row.ctas, std::nullopt);
    EXPECT_EQ(row.threads, std::nullopt);
    EXPECT_EQ(row.shared_bytes, std::nullopt);
    EXPECT_EQ(row.ctas_per_sm, std::nullopt);
    EXPECT_EQ(row.limited_by, std::nullopt);
    EXPECT_EQ(row.waves, std::nullopt);
    EXPECT_GT(row.exponentials, 0U);
  }
}

// 320 KiB of shared memory fit no SM.
TEST(LaunchRows, HaveNoWavesWhereNoCtaFits) {
  const Record record = record_of("flash2", "mma", {.br = 256, .bc = 256, .stages = 2});
  ASSERT_EQ(record.launches.size(), 1U);
  EXPECT_EQ(record.launches[0].ctas_per_sm, 0);
  EXPECT_EQ(record.launches[0].limited_by, "shared memory");
  EXPECT_EQ(record.launches[0].waves, std::nullopt);
}

TEST(RoofRows, TellWhatEachRoofTakesAlone) {
  for (const char* algorithm : {"standard", "flash2"}) {
    const Record record = record_of(algorithm, "mma", {});
    const Prediction& prediction = record.prediction.value();
    ASSERT_EQ(record.roofs.size(), kRoofs);
    EXPECT_EQ(record.roofs[0].roof, "hbm");
    EXPECT_EQ(record.roofs[0].demand, prediction.hbm_read_bytes + prediction.hbm_write_bytes);
    EXPECT_EQ(record.roofs[2].demand, *prediction.sram_read_bytes + *prediction.sram_write_bytes);
    EXPECT_EQ(record.roofs[3].demand, prediction.executed_flops);
    double binds_s = 0;
    double longest_s = 0;
    for (const RoofRow& row : record.roofs) {
      EXPECT_DOUBLE_EQ(row.time_s, static_cast<double>(row.demand) / row.rate_per_s);
      EXPECT_LE(row.time_s, prediction.time_s * (1 + 1e-12));
      binds_s += row.binds_s;
      longest_s = std::max(longest_s, row.binds_s);
    }
    EXPECT_DOUBLE_EQ(binds_s, prediction.time_s);
    double launches_s = 0;
    for (const LaunchRow& row : record.launches) launches_s += row.time_s.value();
    EXPECT_DOUBLE_EQ(launches_s, prediction.time_s);
    for (const RoofRow& row : record.roofs) {
      if (row.roof != prediction.limiter) continue;
      EXPECT_DOUBLE_EQ(row.binds_s, longest_s);
    }
  }
}

// Nobody has measured an L4's L2; the paper's count has no shared memory.
TEST(RoofRows, LeaveOutWhatIsNotKnown) {
  Point point{.gpu = "l4", .algorithm = "flash2", .variant = "paper"};
  std::vector<std::string> names;
  for (const RoofRow& row : predict_record(point).roofs) names.push_back(row.roof);
  EXPECT_EQ(names, (std::vector<std::string>{"hbm", "tensor", "exp"}));
}

TEST(Rows, AreThereOnlyWhenAskedFor) {
  const GpuSpec gpu = load_gpu("h200");
  const Algorithm& flash2 = find_algorithm("flash2");
  const PointContext context{&gpu, &flash2, &flash2.variants.front()};
  PredictionScratch scratch;
  const Record without = predict_record(context, {}, scratch, false);
  EXPECT_TRUE(without.launches.empty() && without.traffic.empty() && without.roofs.empty());
  const Record with = predict_record(context, {}, scratch, true);
  EXPECT_FALSE(with.launches.empty() || with.traffic.empty());
}

}  // namespace hbmscope
