// --journal and --resume, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/sweep_run.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Journal, HoldsEveryPointAndIsJsonLines) {
  const Workspace workspace;
  const Uninterrupted whole(workspace);
  const Result result = run(workspace, kSweep, {"--journal", "run.journal"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(records_of(workspace.read("run.journal")), whole.jsonl);
  EXPECT_EQ(workspace.run({"report", "run.journal", "--csv", "-"}).out, whole.csv);
}

TEST(Journal, IsNotWrittenOver) {
  const Workspace workspace;
  workspace.write("notes.txt", "something else\n");
  for (const char* more : {"--quiet", "--resume"}) {
    const Result result = workspace.run({"sweep", "--journal", "notes.txt", more});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(count_lines(result.err), 1U) << result.err;
    EXPECT_EQ(workspace.read("notes.txt"), "something else\n");
  }
  ASSERT_EQ(run(workspace, kSweep, {"--journal", "run.journal"}).code, 0);
  const Result again = run(workspace, kSweep, {"--journal", "run.journal"});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("expected --resume"));
}

TEST(Journal, LeavesNoFileIfTheRunIsRefused) {
  const Workspace workspace;
  EXPECT_EQ(workspace.run({"sweep", "--journal", "x", "--csv", "no/such/folder.csv"}).code, 2);
  EXPECT_EQ(workspace.run({"sweep", "--journal", "x", "--csv", "x"}).code, 2);
  EXPECT_EQ(workspace.run({"sweep", "--journal", "-"}).code, 2);
  EXPECT_EQ(workspace.run({"sweep", "--resume"}).code, 2);
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(Resume, GivesTheOutputsOfARunThatNothingInterrupted) {
  const Workspace workspace;
  const Uninterrupted whole(workspace);
  ASSERT_EQ(run(workspace, kSweep, {"--journal", "run.journal"}).code, 0);
  const std::string journal = workspace.read("run.journal");
  // Of 16 points five are there, and a sixth that was being written.
  workspace.write("run.journal", first_lines(journal, 1 + 5) + "{\"point\":{\"gpu\":\"h2");
  const Result result =
      workspace.run({"sweep", "--seqlen", "512..4k*2", "--br", "64,128", "--journal", "run.journal",
                     "--resume", "--csv", "r.csv", "--json", "r.json", "--jsonl", "r.jsonl"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("5 of 16 points are in run.journal already"));
  EXPECT_EQ(workspace.read("r.csv"), whole.csv);
  EXPECT_EQ(records_of(workspace.read("r.json")), whole.json);
  EXPECT_EQ(records_of(workspace.read("r.jsonl")), whole.jsonl);
  EXPECT_EQ(workspace.read("run.journal"), journal);
}

TEST(Resume, MakesAPointAgainWhoseLineWasRemoved) {
  const Workspace workspace;
  const Uninterrupted whole(workspace);
  ASSERT_EQ(run(workspace, kSweep, {"--journal", "run.journal"}).code, 0);
  const std::string journal = workspace.read("run.journal");
  const std::string before = first_lines(journal, 1 + 3);
  workspace.write("run.journal", before + journal.substr(first_lines(journal, 1 + 4).size()));
  EXPECT_EQ(run(workspace, kSweep, {"--journal", "run.journal", "--resume", "--csv", "r.csv"}).code, 0);
  EXPECT_EQ(workspace.read("r.csv"), whole.csv);
}

TEST(Resume, BeginsAJournalThatIsNotThereOrTornInItsHeader) {
  const Workspace workspace;
  const Uninterrupted whole(workspace);
  for (const char* torn : {"", "{\"schema_version\":3,\"prov"}) {
    if (*torn != '\0') workspace.write("run.journal", torn);
    EXPECT_EQ(run(workspace, kSweep, {"--journal", "run.journal", "--resume"}).code, 0);
    EXPECT_EQ(records_of(workspace.read("run.journal")), whole.jsonl);
  }
}

TEST(Resume, RefusesAnotherConfigurationAndSaysWhatChanged) {
  const Workspace workspace;
  ASSERT_EQ(run(workspace, kSweep, {"--journal", "run.journal"}).code, 0);
  const std::string journal = workspace.read("run.journal");
  const auto refusal = [&](const std::vector<std::string>& more) {
    const Result result = run(workspace, kSweep, more);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(workspace.read("run.journal"), journal);
    return result.err;
  };
  EXPECT_EQ(refusal({"--journal", "run.journal", "--resume", "--bc", "32"}),
            "hbmscope: --bc: '32' is not accepted; expected '64', with which run.journal was begun\n");
  EXPECT_EQ(
      refusal({"--journal", "run.journal", "--resume", "--causal"}),
      "hbmscope: --mask: 'causal' is not accepted; expected 'full', with which run.journal was begun\n");
  EXPECT_THAT(refusal({"--journal", "run.journal", "--resume", "--shard", "1/2"}),
              StartsWith("hbmscope: --shard: '1/2' is not accepted; expected '1/1'"));
  EXPECT_EQ(workspace.run({"validate", "--journal", "run.journal", "--resume", "--counters", "recorded"}).err,
            "hbmscope: command: 'validate' is not accepted; expected 'sweep', with which run.journal was "
            "begun\n");
}

TEST(Resume, ComparesNumbersByValue) {
  const Workspace workspace;
  ASSERT_EQ(run(workspace, kSweep, {"--journal", "run.journal"}).code, 0);
  const Result same = workspace.run(
      {"sweep", "--seqlen", "512,1k,2048,4096", "--br", "64..128*2", "--journal", "run.journal", "--resume"});
  EXPECT_EQ(same.code, 0);
  EXPECT_THAT(same.err, HasSubstr("16 of 16 points are in run.journal already"));
  // The same points in another order are another run.
  const Result other = workspace.run(
      {"sweep", "--seqlen", "4k,2k,1k,512", "--br", "64,128", "--journal", "run.journal", "--resume"});
  EXPECT_EQ(other.err,
            "hbmscope: --seqlen: '4096,2048,1024,512' is not accepted; expected '512..4096*2', with which "
            "run.journal was begun\n");
}

TEST(Resume, KnowsAChangedGpu) {
  const Workspace workspace;
  const std::vector<std::string> sweep{"sweep", "--quiet", "--journal", "run.journal"};
  ASSERT_EQ(run(workspace, sweep, {"--set", "l2.capacity=100MiB"}).code, 0);
  EXPECT_EQ(run(workspace, sweep, {"--resume", "--set", "l2.capacity=100MiB"}).code, 0);
  EXPECT_THAT(run(workspace, sweep, {"--resume"}).err,
              StartsWith("hbmscope: --set: expected 'l2.capacity=100MiB', with which run.journal was begun"));
}

TEST(Resume, RefusesAGpuFileWhoseTextChanged) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run_shell("cp " HBMSCOPE_SOURCE_DIR "/configs/gpus/h200.toml my.toml").code, 0);
  const std::vector<std::string> sweep{"sweep", "--gpu", "my.toml", "--quiet", "--journal", "run.journal"};
  ASSERT_EQ(workspace.run(sweep).code, 0);
  EXPECT_EQ(run(workspace, sweep, {"--resume"}).code, 0);
  workspace.write("my.toml", workspace.read("my.toml") + "# edited\n");
  const Result edited = run(workspace, sweep, {"--resume"});
  EXPECT_EQ(edited.code, 2);
  EXPECT_THAT(edited.err, StartsWith("hbmscope: files of --gpu: 'my.toml "));
}

TEST(Resume, KeepsMeasuredRows) {
  const Workspace workspace;
  const std::vector<std::string> validate{"validate", "--seqlen", "512,1024",   "--tokens",
                                          "16k",      "--quiet",  "--counters", "recorded"};
  ASSERT_EQ(run(workspace, validate, {"--csv", "u.csv"}).code, 0);
  ASSERT_EQ(run(workspace, validate, {"--journal", "run.journal"}).code, 0);
  workspace.write("run.journal", first_lines(workspace.read("run.journal"), 1 + 3));
  EXPECT_EQ(run(workspace, validate, {"--journal", "run.journal", "--resume", "--csv", "r.csv"}).code, 0);
  EXPECT_EQ(workspace.read("r.csv"), workspace.read("u.csv"));
}

}  // namespace
}  // namespace hbmscope::testing
