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

TEST(Interrupt, KeepsWhatIsFinished) {
  const Workspace workspace;
  const Result result = workspace.run_shell(
      "\"$PROGRAM\" sweep --csv x.csv --seqlen 1..9000+1 --br 16..256+16 --bc 16..128+16 & pid=$!; sleep 1; "
      "kill -INT $pid; wait $pid");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("hbmscope: interrupted after "));
  EXPECT_FALSE(read_csv(workspace.read("x.csv"), "x.csv").empty());
  EXPECT_THAT(workspace.files(), ElementsAre("x.csv"));
}

TEST(Interrupt, AHangUpKeepsWhatIsFinishedAndASecondInterruptLeavesNothing) {
  const Workspace workspace;
  const std::string sweep = "set -m; $PROGRAM sweep --seqlen 1..50000+1 --br 16..128*2 --quiet ";
  EXPECT_EQ(workspace.run_shell(sweep + "--csv x.csv & pid=$!; sleep 0.3; kill -HUP $pid; wait $pid").code,
            130);
  EXPECT_EQ(workspace.files(), std::vector<std::string>{"x.csv"});
  EXPECT_NE(
      workspace
          .run_shell(
              sweep +
              "--json y.json & pid=$!; sleep 0.3; kill -INT $pid; sleep 0.02; kill -INT $pid; wait $pid")
          .code,
      0);
  EXPECT_EQ(workspace.files(), std::vector<std::string>{"x.csv"});
}

}  // namespace
}  // namespace hbmscope::testing
