// What `sweep` writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Sweep, WritesCsvToStandardOutputAndContextToStandardError) {
  const Workspace workspace;
  const Result result = workspace.run({"sweep", "--seqlen", "512..4k*2", "--mask", "full,causal"});
  ASSERT_EQ(result.code, 0);
  EXPECT_EQ(read_csv(result.out, "out").size(), 4U * 2 * 2);
  EXPECT_THAT(result.err, StartsWith("16 points in "));
  EXPECT_EQ(workspace.run({"sweep", "--quiet"}).err, "");
}

// 2^30 batches of 2^30 rows exceed 64 bits, those of 64 rows do not.
TEST(Sweep, GoesOnAfterAPointWhoseCountsExceed64Bits) {
  const Workspace workspace;
  const std::vector<std::string> points{"--algorithm", "flash2", "--batch", "1024m", "--seqlen", "1024m,64"};
  std::vector<std::string> sweep{"sweep", "--quiet", "--csv", "a.csv", "--html", "a.html", "--journal", "j"};
  sweep.insert(sweep.end(), points.begin(), points.end());
  EXPECT_EQ(workspace.run(sweep).code, 0);
  sweep.insert(sweep.end(), {"--resume", "--csv", "again.csv"});
  sweep.erase(sweep.begin() + 2, sweep.begin() + 6);
  EXPECT_EQ(workspace.run(sweep).code, 0);
  EXPECT_EQ(workspace.read("a.csv"), workspace.read("again.csv"));
  const std::vector<Record> rows = read_csv(workspace.read("a.csv"), "a.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, Status::skipped);
  EXPECT_THAT(rows[0].reason, HasSubstr("exceeds 64 bits"));
  EXPECT_FALSE(rows[0].feasible || rows[0].prediction);
  EXPECT_EQ(rows[1].status, Status::ok);
  EXPECT_TRUE(rows[1].prediction.has_value());

  std::vector<std::string> predict{"predict"};
  predict.insert(predict.end(), points.begin(), points.end());
  const Result table = workspace.run(predict);
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, ContainsRegex("\n1073741824( +-){10} +- +-\n"));
  EXPECT_THAT(table.out, HasSubstr("skipped (1 point): byte count: the count exceeds 64 bits"));
}

TEST(Sweep, DryRunCountsThePoints) {
  const Workspace workspace;
  const Result result =
      workspace.run({"sweep", "--seqlen", "512..16k*2", "--br", "64,128", "--dry-run", "--csv", "x.csv"});
  EXPECT_EQ(result.out, "24 points\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(Sweep, IsTheSameEveryTime) {
  const Workspace workspace;
  const std::vector<std::string> arguments{"sweep", "--seqlen", "64..512+64", "--heads",
                                           "4,8",   "--br",     "16,32"};
  EXPECT_EQ(workspace.run(arguments).out, workspace.run(arguments).out);
}

TEST(Sweep, WritesEveryFormat) {
  const Workspace workspace;
  ASSERT_EQ(
      workspace.run({"sweep", "--csv", "a.csv", "--json", "a.json", "--jsonl", "a.jsonl", "--html", "a.html"})
          .code,
      0);
  EXPECT_THAT(workspace.files(), ElementsAre("a.csv", "a.html", "a.json", "a.jsonl"));
  EXPECT_THAT(workspace.read("a.html"), HasSubstr("</html>"));
}

}  // namespace
}  // namespace hbmscope::testing
