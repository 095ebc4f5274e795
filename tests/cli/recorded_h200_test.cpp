// The floors of the recorded H200 run, held against today's model: every point that scripts/record measures
// is there with today's kernels, and the predicted bytes agree, 0.5 % at the L2 and 1.5 % in shared memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "cli/recorded_rows.h"
#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

// The options of each run of validate that scripts/record makes.
std::vector<std::vector<std::string>> recorded_runs() {
  std::vector<std::vector<std::string>> runs;
  for (const std::string_view line : recorded_plan()) {
    std::istringstream words{std::string(line)};
    runs.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  return runs;
}

std::vector<Record> validated(const Workspace& workspace, std::vector<std::string> options) {
  const std::vector<std::string> around{"validate", "--gpu",    "h200",    "--counters", "recorded",
                                        "--csv",    "rows.csv", "--quiet", "--l2",       "none"};
  options.insert(options.begin(), around.begin(), around.end());
  if (std::find(options.begin(), options.end(), "--tolerance") == options.end()) {
    options.insert(options.end(), {"--tolerance", "l2=0.5%,sram=1.5%"});
  }
  const Result result = workspace.run(options);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  return read_csv(workspace.read("rows.csv"), "rows.csv");
}

bool is_near_the_l2s_size(const Record& row) {
  const Problem& p = row.point.problem;
  return p.seqlen_kv * (p.head_dim + p.head_dim_v) * element_bytes(p.dtype) > 30 * 1024 * 1024;
}

TEST(RecordedH200, HoldsTheFloorsOnEveryPoint) {
  const Workspace workspace;
  std::size_t points = 0;
  std::size_t near_the_l2s_size = 0;
  for (const std::vector<std::string>& run : recorded_runs()) {
    std::size_t measured_in_run = 0;
    for (const Record& row : validated(workspace, run)) {
      if (row.feasible == false) continue;  // no kernel can run it
      EXPECT_EQ(row.status, Status::ok) << row.reason;
      EXPECT_FALSE(row.provenance.stale) << "recorded with other kernels: run scripts/record on an H200";
      EXPECT_EQ(row.provenance.note, "");
      ASSERT_TRUE(row.measurement && row.measurement->max_error);
      EXPECT_LE(*row.measurement->max_error, row.point.problem.dtype == DataType::bf16 ? 1e-2 : 2e-3);
      // DRAM cannot read less than what is compulsory. The counter itself is off by a few 100 kB.
      EXPECT_GE(static_cast<double>(row.measurement->hbm_read_bytes.value()),
                0.999 * static_cast<double>(row.prediction->hbm_read_bytes));
      ++measured_in_run;
      if (row.point.placement != 0) continue;
      ++points;
      if (is_near_the_l2s_size(row)) ++near_the_l2s_size;
    }
    EXPECT_GT(measured_in_run, 0U) << "a run without a point measures nothing";
  }
  EXPECT_EQ(points, 632U);
  EXPECT_EQ(near_the_l2s_size, 40U);
}

}  // namespace
}  // namespace hbmscope::testing
