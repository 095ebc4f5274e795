#include "profiler/cupti_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "profiler/cupti_errors.h"
#include "profiler/cupti_library.h"
#include "profiler/pass_counts.h"
#include "tests/profiler/counters_doc.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

std::vector<Quantity> all_of(CounterSet set) {
  std::vector<Quantity> result;
  for (const QuantityInfo& row : quantities()) {
    if (row.set == set) result.push_back(row.quantity);
  }
  return result;
}

std::size_t passes_of(std::vector<Quantity> quantities, std::string_view chip) {
  const PassCount count = count_passes(quantities, chip);
  EXPECT_TRUE(count.passes.has_value()) << chip << ": " << count.reason;
  return count.passes.value_or(0);
}

TEST(CuptiLibrary, OpensAndIsNewEnough) {
  EXPECT_GE(cupti_version(), 24U);
  EXPECT_THAT(cupti_path(), HasSubstr("libcupti"));
}

// A chip that CUPTI profiles and the table does not know would leave its users without counters.
TEST(CuptiHost, TheTableKnowsEveryChipThatCuptiProfiles) {
  for (const std::string& chip : cupti_chips()) {
    if (family_of(chip) != nullptr) continue;
    try {
      const CuptiHost host(chip);
      ADD_FAILURE() << "the metric table lacks " << chip;
    } catch (const CuptiError& error) {
      EXPECT_EQ(error.result(), CUPTI_ERROR_NOT_SUPPORTED) << chip;
    }
  }
}

TEST(CuptiHost, EveryMetricOfTheTableExistsOnItsChips) {
  for (const ChipFamily& family : chip_families()) {
    for (const std::string_view chip : family.chips) {
      const CuptiHost host{std::string(chip)};
      for (const MetricSum& sum : metric_sums()) {
        if ((sum.families & family.bit) == 0) continue;
        for (const std::string& metric : metric_names(sum)) EXPECT_TRUE(host.has_metric(metric)) << metric;
        EXPECT_NO_THROW(host.plan(metric_names(sum))) << chip << " " << info(sum.quantity).name;
      }
    }
  }
}

// An operation of shared memory that the chip counts and a sum leaves out would be missing bytes.
TEST(CuptiHost, NoSharedMemoryOperationOfTheChipIsLeftOut) {
  for (const ChipFamily& family : chip_families()) {
    for (const std::string_view chip : family.chips) {
      const CuptiHost host{std::string(chip)};
      std::vector<std::string> summed;
      for (const Quantity quantity : {Quantity::sram_read, Quantity::sram_write}) {
        for (const std::string& metric : metric_names(*find_metric_sum(quantity, chip).sum)) {
          summed.push_back(metric);
        }
      }
      for (const std::string operation : {"ld", "ldsm", "gmma", "st", "stsm", "ldgsts"}) {
        const std::string counted = operation == "ldgsts" ? "inst_executed" : "data_bytes_mem_shared";
        const std::string metric = "sm__sass_" + counted + "_op_" + operation + ".sum";
        EXPECT_EQ(host.has_metric(metric), testing::Value(summed, testing::Contains(metric)))
            << metric << " on " << chip;
      }
    }
  }
}

TEST(CuptiHost, MetricsWhoseAbsenceIsDocumentedAreAbsent) {
  EXPECT_FALSE(CuptiHost("GA10B").has_metric("dram__bytes_read.sum"));
  EXPECT_FALSE(CuptiHost("GB10B").has_metric("dram__bytes_op_read.sum"));
  EXPECT_FALSE(CuptiHost("GA100").has_metric("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"));
}

TEST(CuptiHost, PassCountsOfTheL2Pair) {
  const std::vector<Quantity> pair{Quantity::l2_read, Quantity::l2_write};
  EXPECT_EQ(passes_of(pair, "GH100"), 2U);
  EXPECT_EQ(passes_of(pair, "GB100"), 3U);
  EXPECT_EQ(passes_of(pair, "GA100"), 5U);
  EXPECT_EQ(passes_of(pair, "AD102"), 5U);
  EXPECT_EQ(passes_of(pair, "TU104"), 5U);
  EXPECT_EQ(passes_of(pair, "GV100"), 7U);
}

TEST(CuptiHost, PassCountsAreAsDocumented) {
  const std::string text = read_counters_doc();
  for (const ChipFamily& family : chip_families()) {
    for (const std::string_view chip : family.chips) {
      const std::array passes{passes_of({Quantity::l2_read, Quantity::l2_write}, chip),
                              passes_of(all_of(CounterSet::traffic), chip),
                              passes_of({Quantity::local_read, Quantity::local_write}, chip),
                              passes_of(all_of(CounterSet::pipes), chip),
                              passes_of(all_of(CounterSet::patched), chip)};
      EXPECT_THAT(text, HasSubstr(pass_row(family, passes) + "\n")) << chip;
    }
  }
}

TEST(CuptiHost, MetricNamesNeedAKnownRollup) {
  const CuptiHost host("GH100");
  EXPECT_TRUE(host.has_metric("dram__bytes_read.max"));
  EXPECT_FALSE(host.has_metric("dram__bytes_read"));
  EXPECT_FALSE(host.has_metric("dram__bytes_read.total"));
  EXPECT_FALSE(host.has_metric("dram__bytes_eaten.sum"));
}

TEST(CuptiHost, UnknownChipsAndMetricsGiveWords) {
  try {
    const CuptiHost host("GX999");
    FAIL() << "an unknown chip was accepted";
  } catch (const CuptiError& error) {
    EXPECT_EQ(error.result(), CUPTI_ERROR_INVALID_CHIP_NAME);
    EXPECT_THAT(error.what(), HasSubstr("install a newer CUDA toolkit"));
  }
  EXPECT_THROW(CuptiHost("GH100").plan({"no__such_metric.sum"}), CuptiError);
}

// A plan outlives the host it came from and can be moved.
TEST(MetricPlan, OwnsWhatItNeeds) {
  MetricPlan plan = CuptiHost("GH100").plan({"dram__bytes_read.sum"});
  const MetricPlan moved = std::move(plan);
  EXPECT_EQ(moved.passes(), 1U);
  EXPECT_FALSE(moved.config_image().empty());
  EXPECT_THAT(moved.metrics(), testing::ElementsAre("dram__bytes_read.sum"));
}

// The table writes the codes as numbers, so that a build without the toolkit can explain them too.
TEST(CuptiErrors, CodesAndNamesAreThoseOfTheLibrary) {
  static_assert(CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED == 36);  // the library of CUDA 13.0 does not name it
  for (const CuptiErrorText& text : cupti_error_texts()) {
    if (text.code == CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED) continue;
    EXPECT_EQ(cupti_result_name(static_cast<CUptiResult>(text.code)), text.name);
  }
}

TEST(CuptiErrors, AnUnexplainedCodeHasTheLibrarysName) {
  ASSERT_EQ(find_cupti_error(CUPTI_ERROR_QUEUE_EMPTY), nullptr);
  EXPECT_THAT(CuptiError("f", CUPTI_ERROR_QUEUE_EMPTY).what(), HasSubstr("CUPTI_ERROR_QUEUE_EMPTY (18)"));
}

}  // namespace
}  // namespace hbmscope
