// What `report` makes of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, KeepsTheArraysOfJson) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"predict", "--json", "a.json"}).code, 0);
  const Result result = workspace.run({"report", "a.json", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(result.out).at("records"),
            nlohmann::json::parse(workspace.read("a.json")).at("records"));
}

TEST(Report, ConvertsWithoutLoss) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv", "--json", "a.json", "--jsonl", "a.jsonl"}).code, 0);
  const std::string csv = workspace.read("a.csv");
  for (const char* input : {"a.csv", "a.json", "a.jsonl"}) {
    const Result result = workspace.run({"report", input, "--csv", "-"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, csv) << input;
  }
  ASSERT_EQ(workspace.run({"report", "a.csv", "a.json", "--html", "both.html"}).code, 0);
  EXPECT_THAT(workspace.read("both.html"), HasSubstr("</html>"));
}

// The rows of a file that is read twice would count twice; the same points in two files may be two runs.
TEST(Report, ReadsAFileOnce) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv"}).code, 0);
  ASSERT_EQ(workspace.run_shell("ln -s a.csv link.csv; cp a.csv b.csv").code, 0);
  for (const char* again : {"a.csv", "./a.csv", "link.csv"}) {
    const Result result = workspace.run({"report", "a.csv", again, "--json", "x.json"});
    EXPECT_EQ(result.code, 2) << again;
    EXPECT_EQ(result.err,
              std::string("hbmscope: ") + again + ": expected each file once; it is given as a.csv too\n");
  }
  EXPECT_THAT(workspace.files(), Not(::testing::Contains("x.json")));
  EXPECT_EQ(workspace.run({"report", "a.csv", "b.csv"}).err, "4 points\n");
}

TEST(Report, PrintsTheErrorsOfWhatWasMeasured) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv"}).code, 0);
  EXPECT_EQ(workspace.run({"report", "a.csv"}).out, "No point was measured.\n");
  ASSERT_EQ(workspace.run({"validate", "--tokens", "16k", "--counters", "recorded", "--csv", "b.csv"}).code,
            0);
  const Result result = workspace.run({"report", "b.csv", "--html", "b.html"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("hbm +flash2 +mma +reads +1 "));
  EXPECT_THAT(workspace.read("b.html"), HasSubstr("</html>"));
}

TEST(Outputs, NeverReplaceWhatIsRead) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv", "--journal", "a.journal"}).code, 0);
  const std::string csv = workspace.read("a.csv");
  const std::string journal = workspace.read("a.journal");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"report", "a.csv", "--csv", "./a.csv"},
        {"merge", "a.journal", "--jsonl", "a.journal"},
        {"validate", "--counters", "recorded", "--recorded", "a.csv", "--csv", "a.csv"}}) {
    const Result result = workspace.run(arguments);
    EXPECT_EQ(result.code, 2) << arguments.front();
    EXPECT_THAT(result.err, HasSubstr("expected another file than those that are read"));
  }
  EXPECT_EQ(workspace.read("a.csv"), csv);
  EXPECT_EQ(workspace.read("a.journal"), journal);
}

}  // namespace
}  // namespace hbmscope::testing
