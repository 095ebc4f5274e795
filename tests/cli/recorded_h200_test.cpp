// The floors of the recorded H200 run, held against today's model: every point that scripts/record measures
// is there with today's kernels, and the predicted bytes agree, 0.5 % at the L2 and 2 % in shared memory.
#include <gtest/gtest.h>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

const std::vector<std::string> kRecordedRun{
    "validate",        "--gpu",    "h200",      "--counters",  "recorded",        "--algorithm",
    "standard,flash2", "--dtype",  "bf16,fp16", "--head-dim",  "64,128",          "--mask",
    "full,causal",     "--tokens", "16k",       "--seqlen",    "512..8k*2",       "--br",
    "64,128",          "--bc",     "64,128",    "--tolerance", "l2=0.5%,sram=2%", "--csv",
    "rows.csv",        "--quiet"};

TEST(RecordedH200, HoldsTheFloorsOnEveryPoint) {
  const Workspace workspace;
  const Result result = workspace.run(kRecordedRun);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  const std::vector<Record> rows = read_csv(workspace.read("rows.csv"), "rows.csv");
  ASSERT_EQ(rows.size(), 320U);
  for (const Record& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.reason;
    EXPECT_FALSE(row.provenance.stale) << "recorded with other kernels: run scripts/record on an H200";
    EXPECT_EQ(row.provenance.note, "");
    ASSERT_TRUE(row.measurement && row.measurement->max_error);
    EXPECT_LE(*row.measurement->max_error, row.point.problem.dtype == DataType::bf16 ? 1e-2 : 2e-3);
  }
}

// DRAM cannot read less than what is compulsory. The counter itself is off by a few 100 kB.
TEST(RecordedH200, DramReadsAtLeastWhatIsCompulsory) {
  const Workspace workspace;
  workspace.run(kRecordedRun);
  for (const Record& row : read_csv(workspace.read("rows.csv"), "rows.csv")) {
    EXPECT_GE(static_cast<double>(*row.measurement->hbm_read_bytes),
              0.999 * static_cast<double>(row.prediction->hbm_read_bytes));
  }
}

}  // namespace
}  // namespace hbmscope::testing
