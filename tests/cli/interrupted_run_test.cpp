// Runs that a signal ends, as a user sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

// One point that takes most of a minute; it is not waited for.
TEST(Interrupt, EndsWithinALongReplay) {
  const Workspace workspace;
  const auto begin = std::chrono::steady_clock::now();
  const Result stopped = workspace.run_shell(
      "\"$PROGRAM\" predict --algorithm flash2 --heads 16 --seqlen 128k,256k --l2 replay --threads 2 "
      "--csv part.csv & pid=$!; sleep 0.5; kill -INT $pid; wait $pid");
  EXPECT_EQ(stopped.code, 130);
  EXPECT_THAT(stopped.err, HasSubstr("interrupted after 0 of 2 points"));
  EXPECT_THAT(workspace.files(), ElementsAre("part.csv"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace hbmscope::testing
