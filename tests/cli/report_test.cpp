// What `report` makes of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
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

// Rows of a CSV file hold neither reasons nor timelines: they are made from the points, without a GPU.
TEST(Report, SaysWhyAndDrawsAPointOfRecordedRows) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"validate", "--tokens", "16k", "--counters", "recorded", "--csv", "b.csv"}).code,
            0);
  const Result result = workspace.run({"report", "b.csv", "--timeline", "1", "--json", "b.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("HBM bytes, and why:\n  io counts every access"));
  const nlohmann::json json = nlohmann::json::parse(workspace.read("b.json"));
  const nlohmann::json& records = json.at("records");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_FALSE(records[0].contains("timeline"));
  const nlohmann::json& timeline = records[1].at("timeline");
  std::uint64_t from_dram = 0;
  for (const nlohmann::json& launch : timeline.at("launches")) {
    for (const nlohmann::json& bytes : launch.at("dram_bytes")) from_dram += bytes.get<std::uint64_t>();
  }
  EXPECT_EQ(timeline.at("hbm_read_bytes"), from_dram);
  for (const nlohmann::json& record : records) {
    EXPECT_FALSE(record.at("hbm_reasons").empty());
    EXPECT_THAT(record.at("hbm_conclusions").back().get<std::string>(), ::testing::StartsWith("Measured: "));
  }
  // What was read once is kept.
  EXPECT_EQ(nlohmann::json::parse(workspace.run({"report", "b.json", "--json", "-"}).out).at("records"),
            records);
}

TEST(Report, DrawsOnePointUnlessAnotherIsAskedFor) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv"}).code, 0);
  ASSERT_EQ(workspace.run({"report", "a.csv", "--html", "a.html", "--json", "a.json"}).code, 0);
  std::size_t timelines = 0;
  const nlohmann::json json = nlohmann::json::parse(workspace.read("a.json"));
  for (const nlohmann::json& record : json.at("records")) timelines += record.contains("timeline") ? 1U : 0U;
  EXPECT_EQ(timelines, 1U);
  EXPECT_THAT(workspace.read("a.html"), HasSubstr("\"timeline\":{"));
  // No page, no drawing.
  EXPECT_THAT(workspace.run({"report", "a.csv", "--json", "-"}).out, Not(HasSubstr("\"timeline\"")));
  for (const auto& [number, accepted] : {std::pair{"2", "expected a point from 0 to 1"},
                                         {"-1", "expected the number of a point, from 0 on"},
                                         {"x", "expected the number of a point, from 0 on"}}) {
    const Result result = workspace.run({"report", "a.csv", "--timeline", number, "--html", "x.html"});
    EXPECT_EQ(result.code, 2) << number;
    EXPECT_EQ(result.err,
              std::string("hbmscope: --timeline: '") + number + "' is not accepted; " + accepted + "\n");
  }
  EXPECT_THAT(workspace.files(), Not(::testing::Contains("x.html")));
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
