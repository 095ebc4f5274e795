// --journal, --resume and --shard, as a user runs them; sweeps of the model, which print the same each time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::vector<std::string> kSweep{"sweep", "--quiet", "--seqlen", "512..4k*2", "--br", "64,128"};

Result run(const Workspace& workspace, std::vector<std::string> arguments,
           const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  for (int line = 0; line < count; ++line) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

// Behind the header, which has arguments and a date.
std::string records_of(const std::string& text) { return text.substr(text.find("\n{\"point\"")); }

// The outputs of a run that nothing interrupted.
struct Uninterrupted {
  std::string csv;
  std::string json;
  std::string jsonl;

  explicit Uninterrupted(const Workspace& workspace) {
    EXPECT_EQ(run(workspace, kSweep, {"--csv", "u.csv", "--json", "u.json", "--jsonl", "u.jsonl"}).code, 0);
    csv = workspace.read("u.csv");
    json = records_of(workspace.read("u.json"));
    jsonl = records_of(workspace.read("u.jsonl"));
  }
};

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

TEST(Resume, GoesOnAfterAKill) {
  const Workspace workspace;
  const std::string sweep = "\"$PROGRAM\" sweep --quiet --seqlen 1..20000+1 --algorithm flash2 ";
  const Result killed = workspace.run_shell(
      sweep +
      "--journal run.journal & pid=$!; "
      "until [ -s run.journal ] && [ $(stat -c %s run.journal) -gt 200000 ]; do sleep 0.01; done; "
      "kill -KILL $pid; wait $pid");
  EXPECT_EQ(killed.code, 128 + 9);
  const std::size_t lines = count_lines(workspace.read("run.journal"));
  EXPECT_GT(lines, 1U);
  EXPECT_LT(lines, 20000U);
  EXPECT_EQ(workspace.run_shell(sweep + "--journal run.journal --resume --csv r.csv").code, 0);
  EXPECT_EQ(workspace.run_shell(sweep + "--csv u.csv").code, 0);
  EXPECT_TRUE(workspace.read("r.csv") == workspace.read("u.csv"));
}

TEST(Resume, GoesOnAfterAnInterruptThatKeptWhatWasFinished) {
  for (const std::string signal : {"INT", "TERM"}) {
    const Workspace workspace;
    const std::string sweep = "\"$PROGRAM\" sweep --quiet --seqlen 1..20000+1 --algorithm flash2 ";
    const Result stopped = workspace.run_shell(
        sweep +
        "--journal run.journal --csv part.csv & pid=$!; "
        "until [ -s run.journal ] && [ $(stat -c %s run.journal) -gt 200000 ]; do sleep 0.01; done; "
        "kill -" +
        signal + " $pid; wait $pid");
    EXPECT_EQ(stopped.code, 130);
    EXPECT_THAT(workspace.files(), ElementsAre("part.csv", "run.journal"));
    // The outputs hold what the journal holds.
    const std::size_t finished = read_csv(workspace.read("part.csv"), "part.csv").size();
    EXPECT_GT(finished, 0U);
    EXPECT_LT(finished, 20000U);
    const std::string journal = workspace.read("run.journal");
    EXPECT_EQ(count_lines(journal), 1 + finished);
    EXPECT_TRUE(journal.ends_with("}\n"));
    if (signal == "TERM") continue;  // what was kept is the same, and going on takes long
    EXPECT_EQ(workspace.run_shell(sweep + "--journal run.journal --resume --csv r.csv").code, 0);
    EXPECT_EQ(workspace.run_shell(sweep + "--csv u.csv").code, 0);
    EXPECT_TRUE(workspace.read("r.csv") == workspace.read("u.csv"));
  }
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

TEST(Merge, ShardsMakeTheWhole) {
  const Workspace workspace;
  const Uninterrupted whole(workspace);
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string file = std::string(1, *shard) + ".journal";
    ASSERT_EQ(run(workspace, kSweep, {"--shard", shard, "--journal", file}).code, 0);
  }
  // 16 points in three blocks of 5, 5 and 6.
  EXPECT_EQ(count_lines(workspace.read("1.journal")), 1U + 5);
  EXPECT_EQ(count_lines(workspace.read("3.journal")), 1U + 6);
  const Result result = workspace.run(
      {"merge", "3.journal", "1.journal", "2.journal", "--csv", "m.csv", "--json", "m.json", "--quiet"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(workspace.read("m.csv"), whole.csv);
  EXPECT_EQ(records_of(workspace.read("m.json")), whole.json);

  const std::string first = workspace.read("1.journal");
  const auto refusal = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"merge", "--csv", "x.csv"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Result refused = workspace.run(arguments);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(count_lines(refused.err), 1U);
    return refused.err;
  };
  EXPECT_EQ(refusal({"2.journal"}), "hbmscope: merge: expected all shards; missing: 1/3, 3/3\n");
  EXPECT_THAT(refusal({"1.journal", "2.journal", "3.journal", "1.journal"}),
              HasSubstr("seqlen 512, full, standard, mma, Br 64, Bc 64' is not accepted; expected each point "
                        "once; 1.journal has it too"));
  workspace.write("1.journal", first_lines(first, 1 + 4) + "{\"point\":");
  EXPECT_EQ(refusal({"1.journal", "2.journal", "3.journal"}),
            "hbmscope: 1.journal: holds 4 of 5 points; expected all, finish it with --resume\n");
  ASSERT_EQ(run(workspace, kSweep, {"--bc", "32", "--shard", "1/3", "--journal", "other.journal"}).code, 0);
  EXPECT_EQ(refusal({"2.journal", "other.journal"}),
            "hbmscope: other.journal: --bc: '32' is not accepted; expected '64' as in 2.journal\n");
  ASSERT_EQ(run(workspace, kSweep, {"--shard", "1/2", "--journal", "half.journal"}).code, 0);
  EXPECT_EQ(refusal({"2.journal", "half.journal"}),
            "hbmscope: half.journal: --shard: '1/2' is not accepted; expected one of 3 shards as in "
            "2.journal\n");
  EXPECT_THAT(refusal({"u.jsonl"}), HasSubstr("expected a file that --journal wrote"));
  EXPECT_THAT(refusal({}), StartsWith("hbmscope: merge: expected the files that --journal wrote"));
  EXPECT_THAT(workspace.files(), ::testing::Not(::testing::Contains("x.csv")));
}

}  // namespace
}  // namespace hbmscope::testing
