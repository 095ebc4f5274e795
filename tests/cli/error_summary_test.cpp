#include "cli/error_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hbmscope {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Of 1000 bytes measured in each direction at the L2, `read_off` and `write_off` too many were predicted.
Record record_of(std::int64_t seqlen, std::int64_t read_off, std::int64_t write_off) {
  Record record;
  record.point.algorithm = "flash2";
  record.point.variant = "mma";
  record.point.problem.seqlen_q = record.point.problem.seqlen_kv = seqlen;
  record.prediction.emplace();
  record.prediction->l2_read_bytes = static_cast<std::uint64_t>(1000 + read_off);
  record.prediction->l2_write_bytes = static_cast<std::uint64_t>(1000 + write_off);
  record.measurement.emplace();
  record.measurement->l2_read_bytes = 1000;
  record.measurement->l2_write_bytes = 1000;
  return record;
}

const ErrorSummary& at(const std::vector<ErrorSummary>& summaries, Boundary boundary, bool of_reads) {
  for (const ErrorSummary& summary : summaries) {
    if (summary.boundary == boundary && summary.of_reads == of_reads) return summary;
  }
  throw std::logic_error("no summary of this boundary");
}

// Twenty errors of 1, 2, … 20 per mille, the largest negative: the 10th is the median, the 19th the 95 %.
TEST(ErrorSummary, NamesMeanQuantilesAndWorst) {
  std::vector<Record> records;
  for (std::int64_t i = 1; i <= 20; ++i) records.push_back(record_of(i, i == 20 ? -20 : i, 2));
  const std::vector<ErrorSummary> summaries = error_summaries(records);
  ASSERT_EQ(summaries.size(), 6U);
  const ErrorSummary& l2 = at(summaries, Boundary::l2, true);
  EXPECT_EQ(l2.count, 20U);
  EXPECT_NEAR(l2.mean, 0.0105, 1e-12);  // (1 + 20) / 2 per mille
  EXPECT_NEAR(l2.median, 0.010, 1e-12);
  EXPECT_NEAR(l2.p95, 0.019, 1e-12);
  EXPECT_NEAR(l2.worst, -0.020, 1e-12);
  EXPECT_EQ(l2.worst_record, &records.back());
  EXPECT_NEAR(at(summaries, Boundary::l2, false).median, 0.002, 1e-12);
  EXPECT_EQ(at(summaries, Boundary::sram, true).count, 0U);
}

TEST(ErrorSummary, OneErrorIsEveryQuantile) {
  Record record = record_of(512, 50, 0);
  record.measurement->l2_write_bytes.reset();
  const std::vector<ErrorSummary> summaries = error_summaries(std::span(&record, 1));
  const ErrorSummary& l2 = at(summaries, Boundary::l2, true);
  EXPECT_EQ(l2.count, 1U);
  EXPECT_EQ(at(summaries, Boundary::l2, false).count, 0U);
  for (const double value : {l2.mean, l2.median, l2.p95, l2.worst}) EXPECT_NEAR(value, 0.05, 1e-12);
}

TEST(ErrorSummary, KeepsImplementationsApartAndLeavesFailedPointsOut) {
  std::vector<Record> records{record_of(512, 10, 10), record_of(512, 900, 900), record_of(512, 30, 30)};
  records[1].status = Status::failed;
  records[2].point.variant = "wgmma";
  const std::vector<ErrorSummary> summaries = error_summaries(records);
  ASSERT_EQ(summaries.size(), 12U);
  EXPECT_EQ(summaries[4].variant, "mma");
  EXPECT_NEAR(summaries[4].worst, 0.01, 1e-12);
  EXPECT_EQ(summaries[6].variant, "wgmma");
  EXPECT_NEAR(summaries[6].worst, 0.03, 1e-12);
}

Record replayed(Record record, std::uint64_t predicted_hbm_read) {
  record.point.l2_mode = L2Mode::replay;
  record.prediction->hbm_read_bytes = predicted_hbm_read;
  record.measurement->hbm_read_bytes = 1000;
  return record;
}

Record without_l2_model(Record record, std::uint64_t predicted_hbm_read) {
  record = replayed(std::move(record), predicted_hbm_read);
  record.point.l2_mode = L2Mode::none;
  return record;
}

// Points of two modes are two groups at HBM, and one at the L2, whose bytes no mode changes.
TEST(ErrorSummary, KeepsModesOfTheL2ApartAtHbmAlone) {
  const Record record = record_of(512, 10, 10);
  const std::vector<Record> records{replayed(record, 1020), without_l2_model(record, 500),
                                    without_l2_model(record, 600)};
  const std::vector<ErrorSummary> summaries = error_summaries(records);
  ASSERT_EQ(summaries.size(), 8U);
  EXPECT_EQ(summaries[0].l2_mode, L2Mode::replay);
  EXPECT_EQ(summaries[0].count, 1U);
  EXPECT_NEAR(summaries[0].worst, 0.02, 1e-12);
  EXPECT_EQ(summaries[2].l2_mode, L2Mode::none);
  EXPECT_EQ(summaries[2].count, 2U);
  EXPECT_NEAR(summaries[2].worst, -0.5, 1e-12);
  EXPECT_EQ(summaries[4].boundary, Boundary::l2);
  EXPECT_EQ(summaries[4].l2_mode, std::nullopt);
  EXPECT_EQ(summaries[4].count, 3U);
}

// An implementation gets no row for a mode in which none of its points was predicted.
TEST(ErrorSummary, HasNoGroupWithoutAPoint) {
  Record other = without_l2_model(record_of(512, 10, 10), 500);
  other.point.algorithm = "standard";
  const std::vector<Record> records{replayed(record_of(512, 10, 10), 1020), other};
  const std::vector<ErrorSummary> summaries = error_summaries(records);
  EXPECT_EQ(summaries.size(), 12U);
  for (const ErrorSummary& summary : summaries) {
    if (summary.boundary == Boundary::hbm && summary.of_reads) {
      EXPECT_EQ(summary.count, 1U);
    }
  }
}

TEST(ErrorTable, NamesTheModeOfTheL2WhereThereAreSeveral) {
  const Record record = record_of(512, 10, 10);
  const std::vector<Record> records{replayed(record, 1020), without_l2_model(record, 500)};
  const std::string text = error_table(records, false);
  EXPECT_THAT(text, ContainsRegex("hbm +flash2 +mma +replay +reads +1 +2.00"));
  EXPECT_THAT(text, ContainsRegex("hbm +flash2 +mma +none +reads +1 +50.00"));
  EXPECT_THAT(text, ContainsRegex("l2 +flash2 +mma +reads +2 +1.00"));
  EXPECT_THAT(error_table(std::span(records).first(1), false), Not(HasSubstr("L2 model")));
}

TEST(ErrorTable, SaysWhichPointIsWorst) {
  const std::vector<Record> records{record_of(512, 1, 2), record_of(1024, -40, 3)};
  const std::string text = error_table(records, false);
  EXPECT_THAT(text, ContainsRegex("l2 +flash2 +mma +reads +2 +2.05 +0.10 +4.00 +-4.00  seqlen 1024"));
  EXPECT_THAT(text, ContainsRegex("sram +flash2 +mma +reads +0 .*not measured"));
  EXPECT_THAT(error_table(std::vector<Record>{record_of(512, 0, 0)}, false), HasSubstr("every one is exact"));
  EXPECT_THAT(error_table(std::span(records).first(1), false), Not(HasSubstr("seqlen")));
}

}  // namespace
}  // namespace hbmscope
