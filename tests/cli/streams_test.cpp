// A run whose output breaks off, and one that is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StandardOutput, ABrokenPipeEndsQuietlyAndKeepsNoHalfFile) {
  const Workspace workspace;
  // `true` reads nothing; the program writes more than a pipe holds.
  const Result result =
      workspace.run_shell("(\"$PROGRAM\" sweep --quiet --seqlen 64..64k+64; echo code $? >&2) | true");
  EXPECT_EQ(result.err, "code 0\n");
}

TEST(StandardOutput, AFullDiskIsAnError) {
  const Workspace workspace;
  const Result result = workspace.run_shell("\"$PROGRAM\" sweep > /dev/full");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(count_lines(result.err), 1U);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

// The shell waits for points that are finished, not for a time: a busy machine takes its own.
const std::string kUntilSomeAreFinished =
    "pid=$!; until [ -s run.journal ] && [ $(stat -c %s run.journal) -gt 200000 ] || ! kill -0 $pid 2> none; "
    "do sleep 0.01; done; rm -f none; ";

TEST(Interrupt, KeepsWhatIsFinished) {
  const Workspace workspace;
  const Result result = workspace.run_shell(
      "\"$PROGRAM\" sweep --csv x.csv --journal run.journal --seqlen 1..9000+1 --br 16..256+16 --bc "
      "16..128+16 & " +
      kUntilSomeAreFinished + "kill -INT $pid; wait $pid");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("hbmscope: interrupted after "));
  EXPECT_FALSE(read_csv(workspace.read("x.csv"), "x.csv").empty());
  EXPECT_THAT(workspace.files(), ElementsAre("run.journal", "x.csv"));
}

TEST(Interrupt, AHangUpKeepsWhatIsFinished) {
  const Workspace workspace;
  const Result result = workspace.run_shell(
      "set -m; $PROGRAM sweep --seqlen 1..50000+1 --br 16..128*2 --quiet --csv x.csv --journal run.journal "
      "& " +
      kUntilSomeAreFinished + "kill -HUP $pid; wait $pid");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(workspace.files(), ElementsAre("run.journal", "x.csv"));
}

TEST(Interrupt, ASecondOneLeavesNothing) {
  const Workspace workspace;
  // Nobody reads `full`, so that the first interrupt finds a program that cannot finish writing its page.
  const Result result = workspace.run_shell(
      "set -m; mkfifo full; exec 3<>full; "
      "$PROGRAM sweep --seqlen 1..50000+1 --br 16..128*2 --quiet --json y.json --html - --journal "
      "run.journal > full & " +
      kUntilSomeAreFinished + "while kill -INT $pid 2> none; do sleep 0.5; done; rm none; wait $pid");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(workspace.files(), ElementsAre("full", "run.journal"));
}

}  // namespace
}  // namespace hbmscope::testing
