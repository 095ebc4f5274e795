#include "profiler/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> metrics_of(Quantity quantity, std::string_view chip) {
  const MetricLookup lookup = find_metric_sum(quantity, chip);
  if (lookup.sum == nullptr) return {};
  return metric_names(*lookup.sum);
}

TEST(Metrics, RowsStandInTheOrderOfTheEnumeration) {
  int index = 0;
  for (const QuantityInfo& row : quantities()) EXPECT_EQ(static_cast<int>(row.quantity), index++) << row.name;
  EXPECT_EQ(info(Quantity::duration).name, "duration");
}

TEST(Metrics, NamesParseBack) {
  for (const QuantityInfo& row : quantities()) EXPECT_EQ(parse_quantity(row.name), row.quantity);
  EXPECT_EQ(parse_quantity("hbm"), std::nullopt);
}

TEST(Metrics, EveryQuantityHasExactlyOneAnswerOnEveryFamily) {
  for (const ChipFamily& family : chip_families()) {
    for (const QuantityInfo& row : quantities()) {
      int answers = 0;
      for (const MetricSum& sum : metric_sums()) {
        answers += sum.quantity == row.quantity && (sum.families & family.bit) != 0;
      }
      for (const MetricAbsence& absence : metric_absences()) {
        answers += absence.quantity == row.quantity && (absence.families & family.bit) != 0;
      }
      EXPECT_EQ(answers, 1) << row.name << " on " << family.name;
    }
  }
}

TEST(Metrics, SoftwarePatchedMetricsHaveTheirOwnSet) {
  for (const MetricSum& sum : metric_sums()) {
    for (const std::string& metric : metric_names(sum)) {
      EXPECT_EQ(metric.find("_sass_") != std::string_view::npos,
                info(sum.quantity).set == CounterSet::patched)
          << metric;
    }
  }
}

TEST(Metrics, EveryChipBelongsToOneFamily) {
  std::set<std::string_view> seen;
  for (const ChipFamily& family : chip_families()) {
    for (const std::string_view chip : family.chips) {
      EXPECT_TRUE(seen.insert(chip).second) << chip;
      EXPECT_EQ(family_of(chip), &family);
    }
  }
}

TEST(Metrics, Hopper) {
  EXPECT_THAT(metrics_of(Quantity::hbm_read, "GH100"), ElementsAre("dram__bytes_read.sum"));
  EXPECT_THAT(metrics_of(Quantity::l2_read, "GH100"), ElementsAre("l1tex__m_xbar2l1tex_read_bytes.sum"));
  EXPECT_THAT(metrics_of(Quantity::l2_write, "GH100"), ElementsAre("l1tex__m_l1tex2xbar_write_bytes.sum"));
  EXPECT_THAT(
      metrics_of(Quantity::sram_read, "GH100"),
      ElementsAre("sm__sass_data_bytes_mem_shared_op_ld.sum", "sm__sass_data_bytes_mem_shared_op_ldsm.sum",
                  "sm__sass_data_bytes_mem_shared_op_gmma.sum"));
  EXPECT_THAT(
      metrics_of(Quantity::sram_write, "GH100"),
      ElementsAre("sm__sass_data_bytes_mem_shared_op_st.sum", "sm__sass_data_bytes_mem_shared_op_stsm.sum",
                  "sm__sass_inst_executed_op_ldgsts.sum"));
}

TEST(Metrics, SectorsBecomeBytes) {
  EXPECT_EQ(find_metric_sum(Quantity::local_read, "GH100").sum->terms.front().factor, 32);
  EXPECT_EQ(find_metric_sum(Quantity::hbm_read, "GH100").sum->terms.front().factor, 1);
  EXPECT_EQ(find_metric_sum(Quantity::sram_write, "GH100").sum->terms.back().factor, 512);
}

TEST(Metrics, WhatAChipLacksHasAReason) {
  EXPECT_THAT(find_metric_sum(Quantity::hbm_read, "GA10B").reason, HasSubstr("shares the CPU's memory"));
  EXPECT_THAT(find_metric_sum(Quantity::tma_fill, "GA100").reason, HasSubstr("no TMA"));
  EXPECT_THAT(find_metric_sum(Quantity::hbm_read, "GX999").reason, HasSubstr("GX999"));
}

}  // namespace
}  // namespace hbmscope
