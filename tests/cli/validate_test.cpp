// validate against recorded rows; what runs on a GPU is tested where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const std::vector<std::string> kPoints{"--algorithm", "flash2",     "--seqlen", "512,1024",
                                       "--quiet",     "--counters", "recorded"};

Result validate(const Workspace& workspace, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"validate"};
  arguments.insert(arguments.end(), kPoints.begin(), kPoints.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

// Writes rows as a GPU would have recorded them, 1 % fewer bytes than predicted; `change` edits each.
void record_rows(const Workspace& workspace, const std::function<void(Record&)>& change) {
  // Without recorded rows every point is skipped, with its kernel hash.
  workspace.write("none.csv", csv_header());
  validate(workspace, {"--recorded", "none.csv", "--csv", "rows.csv"});
  std::vector<Record> rows = read_csv(workspace.read("rows.csv"), "rows.csv");
  for (Record& row : rows) {
    row.status = Status::ok;
    row.reason.clear();
    row.measurement.emplace();
    row.measurement->l2_read_bytes = row.prediction->l2_read_bytes * 100 / 101;
    row.measurement->l2_write_bytes = row.prediction->l2_write_bytes;
    row.measurement->hbm_read_bytes = row.prediction->hbm_read_bytes;
    row.provenance.source = "live";
    row.provenance.gpu = "NVIDIA H200";
    row.provenance.date = "2026-11-29T12:00:00Z";
    change(row);
  }
  workspace.write("recorded.csv", write_csv(rows));
}

TEST(Validate, PutsMeasuredBesidePredicted) {
  const Workspace workspace;
  record_rows(workspace, [](Record&) {});
  const Result result = validate(workspace, {"--recorded", "recorded.csv"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("+1.00"));
  // Reads of 2 points are 1 % off, their writes 0 %.
  EXPECT_THAT(result.out, ContainsRegex("l2 +flash2 +mma +reads +2 +1.00 +1.00 +1.00 +\\+1.00  seqlen 512"));
  EXPECT_THAT(result.out, ContainsRegex("l2 +flash2 +mma +writes +2 +0.00 .*every one is exact"));
  EXPECT_THAT(result.out, HasSubstr("2 points recorded on NVIDIA H200, 2026-11-29"));
}

TEST(Validate, ExitCodeFollowsTheTolerance) {
  const Workspace workspace;
  record_rows(workspace, [](Record&) {});
  EXPECT_EQ(validate(workspace, {"--recorded", "recorded.csv", "--tolerance", "l2=2%"}).code, 0);
  const Result beyond =
      validate(workspace, {"--recorded", "recorded.csv", "--tolerance", "l2=0.5%", "--csv", "out.csv"});
  EXPECT_EQ(beyond.code, 1);
  EXPECT_THAT(beyond.err, HasSubstr("l2 read is +1.00 % off, the tolerance is 0.5 %"));
  EXPECT_EQ(read_csv(workspace.read("out.csv"), "out.csv").size(), 2U);
  EXPECT_EQ(validate(workspace, {"--recorded", "recorded.csv", "--tolerance", "sram=50%"}).code, 1);
}

TEST(Validate, StaleRowsAreFlagged) {
  const Workspace workspace;
  record_rows(workspace, [](Record& row) { row.kernel_hash = "0123456789abcdef"; });
  const Result result = validate(workspace, {"--recorded", "recorded.csv"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("STALE"));
  EXPECT_EQ(validate(workspace, {"--recorded", "recorded.csv", "--tolerance", "l2=2%"}).code, 1);
}

TEST(Validate, APointThatIsNotRecordedIsSkipped) {
  const Workspace workspace;
  record_rows(workspace, [](Record& row) {
    if (row.point.problem.seqlen_q == 512) row.measurement.reset();
  });
  const Result result = validate(workspace, {"--recorded", "recorded.csv", "--csv", "out.csv"});
  EXPECT_EQ(result.code, 0);
  const std::vector<Record> rows = read_csv(workspace.read("out.csv"), "out.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, Status::skipped);
  EXPECT_THAT(rows[0].reason, HasSubstr("no measurement of this point"));
  EXPECT_EQ(rows[1].status, Status::ok);
  EXPECT_EQ(rows[1].provenance.source, "recorded");
}

TEST(Validate, NothingRecordedFitsAChangedGpu) {
  const Workspace workspace;
  const std::vector<std::string> point{"validate", "--counters", "recorded", "--algorithm", "flash2",
                                       "--tokens", "16k",        "--seqlen", "4k"};
  EXPECT_EQ(workspace.run(point).code, 0);
  std::vector<std::string> changed = point;
  changed.insert(changed.end(), {"--set", "l2.capacity=60MiB"});
  const Result result = workspace.run(changed);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no measurement of this point is recorded"));
}

TEST(Validate, InfeasibleTilesAreRowsAndExit2IfAlone) {
  const Workspace workspace;
  record_rows(workspace, [](Record&) {});
  const Result both =
      validate(workspace, {"--recorded", "recorded.csv", "--br", "128,512", "--csv", "out.csv"});
  EXPECT_EQ(both.code, 0) << both.err;
  const std::vector<Record> rows = read_csv(workspace.read("out.csv"), "out.csv");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].status, Status::skipped);
  EXPECT_EQ(rows[1].feasible, false);
  EXPECT_THAT(rows[1].reason, HasSubstr("br 512"));
  EXPECT_TRUE(rows[1].prediction.has_value());
  const Result alone = validate(workspace, {"--br", "512", "--csv", "alone.csv"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_EQ(count_lines(alone.err), 1U) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("br 512"));
  EXPECT_EQ(read_csv(workspace.read("alone.csv"), "alone.csv").size(), 2U);
}

TEST(Validate, AModelWithoutKernelIsSkipped) {
  const Workspace workspace;
  const Result result = validate(workspace, {"--variant", "paper"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("flash2 paper is a model without a kernel"));
}

}  // namespace
}  // namespace hbmscope::testing
