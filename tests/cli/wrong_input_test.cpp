// What is not accepted: one line on standard error that names option, value and what is taken; exit code 2;
// no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/csv.h"
#include "tests/cli/refused.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(WrongInput, CommandsAreNamed) {
  const Workspace workspace;
  expect_refused(workspace.run({}), "command: expected one of predict, sweep");
  expect_refused(workspace.run({"predikt"}), "command: 'predikt' is not accepted; expected one of predict");
  expect_refused(workspace.run({"list"}), "list: expected gpus");
  expect_refused(workspace.run({"list", "modules"}), "list: 'modules' is not accepted; expected gpus");
  expect_refused(workspace.run({"predict", "--bogus"}), "predict: '--bogus' is not accepted");
}

TEST(WrongInput, OutputsThatCannotBeWrittenAreKnownFirst) {
  const Workspace workspace;
  for (const char* option : {"--csv", "--json", "--jsonl", "--html"}) {
    const std::string name(option);
    expect_refused(workspace.run({"sweep", option, "no/such/folder/x"}),
                   name + ": 'no/such/folder/x' is not accepted");
    expect_refused(workspace.run({"sweep", option, "."}), name + ": '.' is not accepted");
    expect_refused(workspace.run({"sweep", option, ""}), name + ": expected a file name");
  }
  expect_refused(workspace.run({"sweep", "--csv", "x", "--json", "x"}), "--json: 'x' is not accepted");
  EXPECT_THAT(workspace.files(), IsEmpty());
}

// 2^30 batches of 2^30 rows exceed 64 bits.
TEST(WrongInput, CountsBeyond64BitsAreRowsAndExit2IfAlone) {
  const Workspace workspace;
  for (const char* command : {"predict", "sweep", "validate"}) {
    const Result result =
        workspace.run({command, "--csv", "x.csv", "--quiet", "--seqlen", "1024m", "--batch", "1024m"});
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_THAT(result.err, StartsWith("hbmscope: points: none of 2 "));
    EXPECT_THAT(result.err, HasSubstr("byte count: the count exceeds 64 bits"));
    EXPECT_EQ(count_lines(result.err), 1U);
    const std::vector<Record> rows = read_csv(workspace.read("x.csv"), "x.csv");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].status, Status::skipped);
  }
}

TEST(WrongInput, AnExistingFileSurvivesAnError) {
  const Workspace workspace;
  workspace.write("x.csv", "keep me\n");
  // More than is held back before it is written.
  const Result result =
      workspace.run({"sweep", "--csv", "x.csv", "--jsonl", "/dev/full", "--seqlen", "64..8k+64"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
  EXPECT_EQ(workspace.read("x.csv"), "keep me\n");
}

TEST(WrongInput, OneFileUnderTwoNamesIsRefused) {
  const Workspace workspace;
  expect_refused(workspace.run({"sweep", "--csv", "x", "--json", "./x"}), "--json: './x' is not accepted");
  expect_refused(
      workspace.run_shell("ln -s x link; $PROGRAM sweep --csv x --html link; code=$?; rm link; exit $code"),
      "--html: 'link' is not accepted; expected another file than --csv writes");
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(WrongInput, StandardOutputHasOneWriter) {
  const Workspace workspace;
  expect_refused(workspace.run({"sweep", "--csv", "-", "--json", "/dev/stdout"}),
                 "--json: '/dev/stdout' is not accepted");
  const Result piped = workspace.run_shell("$PROGRAM sweep --quiet --csv /dev/stdout | cat");
  EXPECT_THAT(piped.out, StartsWith("schema_version,"));
}

TEST(WrongInput, AClosedStandardOutputIsNoFile) {
  const Workspace workspace;
  EXPECT_EQ(workspace.run_shell("$PROGRAM sweep --quiet --csv x.csv >&-").code, 0);
  EXPECT_THAT(workspace.read("x.csv"), StartsWith("schema_version,"));
  EXPECT_EQ(workspace.run_shell("$PROGRAM predict >&-").code, 2);
}

TEST(WrongInput, GpusOfOneNameAreRefused) {
  const Workspace workspace;
  const std::string folder = HBMSCOPE_SOURCE_DIR "/configs/gpus";
  expect_refused(workspace.run({"predict", "--gpu", "h200," + folder + "/h200.toml"}), "--gpu: '" + folder);
  EXPECT_EQ(workspace.run({"predict", "--gpu", "h200,h200", "--dry-run"}).out, "2 points\n");
  EXPECT_EQ(
      workspace.run({"predict", "--gpu", "h200+sms=66+clock=2GHz,h200+clock=2000MHz+sms=66", "--dry-run"})
          .out,
      "2 points\n");
}

TEST(WrongInput, ValidateNamesItsOptions) {
  const Workspace workspace;
  expect_refused(workspace.run({"validate", "--counters", "some"}), "--counters: 'some' is not accepted");
  expect_refused(workspace.run({"validate", "--tolerance", "l2=1"}), "--tolerance: 'l2=1' is not accepted");
  expect_refused(workspace.run({"validate", "--tolerance", ""}),
                 "--tolerance: an empty value is not accepted; expected such as");
  expect_refused(workspace.run({"validate", "--recorded", ""}),
                 "--recorded: an empty value is not accepted; expected a CSV");
  expect_refused(workspace.run({"validate", "--counters", "recorded", "--recorded", "no.csv"}),
                 "no.csv: cannot be read");
}

TEST(WrongInput, EditedGpuFilesAreNamedWithTheirLine) {
  const Workspace workspace;
  workspace.write("bad.toml", "name = \"x\"\nsms = -3\n");
  const Result result = workspace.run({"predict", "--gpu", "bad.toml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(count_lines(result.err), 1U);
  EXPECT_THAT(result.err, HasSubstr("bad.toml"));
  workspace.write("cut.toml", "name = \"x\"\n[[cache");
  const Result cut = workspace.run({"predict", "--gpu", "cut.toml"});
  EXPECT_EQ(cut.code, 2);
  EXPECT_EQ(count_lines(cut.err), 1U);
  EXPECT_THAT(cut.err, HasSubstr("cut.toml:2"));
}

TEST(WrongInput, CutAndEditedRecordsAreNamedWithTheirPlace) {
  const Workspace workspace;
  ASSERT_EQ(
      workspace.run({"sweep", "--quiet", "--csv", "a.csv", "--json", "a.json", "--jsonl", "a.jsonl"}).code,
      0);
  for (const std::string name : {"a.csv", "a.json", "a.jsonl"}) {
    const std::string text = workspace.read(name);
    workspace.write("cut-" + name, text.substr(0, text.size() * 2 / 3));
    std::string edited = text;
    edited.replace(edited.rfind("flash2"), 6, "flash2\"");
    workspace.write("edited-" + name, edited);
    for (const std::string prefix : {"cut-", "edited-"}) {
      const Result result = workspace.run({"report", prefix + name, "--html", "x.html", "--csv", "x.csv"});
      EXPECT_EQ(result.code, 2) << prefix << name;
      EXPECT_EQ(count_lines(result.err), 1U) << result.err;
      EXPECT_THAT(result.err, HasSubstr(prefix + name));
    }
  }
  expect_refused(workspace.run({"report", "missing.csv", "--html", "x.html"}), "missing.csv: cannot be read");
  expect_refused(workspace.run({"report", "--html", "x.html"}), "report: expected CSV");
  EXPECT_EQ(workspace.read("x.html") + workspace.read("x.csv"), "");
}

TEST(Compile, SaysWhenNoPointHasAKernel) {
  const Workspace workspace;
  for (const std::vector<std::string>& choice : {std::vector<std::string>{"--variant", "paper"},
                                                 {"--br", "17"},
                                                 {"--batch", "1024m", "--seqlen", "1m"},
                                                 {"--set", "hbm.capacity=1MB"}}) {
    std::vector<std::string> arguments{"compile"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const Result result = workspace.run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, StartsWith("hbmscope: points: none has a kernel"));
  }
}

}  // namespace
}  // namespace hbmscope::testing
