#include "cli/run_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "sim/error.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

// Options without values are those of an empty command line: 2 points.
int run(const RunArguments& arguments, const std::function<int(const PointWork& work)>& body) {
  return run_points(arguments, {}, {{"command", "test"}}, body);
}

// What is said of arguments that are refused before the body runs.
std::string refusal(const RunArguments& arguments) {
  try {
    run(arguments, [](const PointWork&) {
      ADD_FAILURE() << "the body ran";
      return kDone;
    });
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(RunArguments, GiveTheBodyItsPointsAndReturnItsCode) {
  RunArguments arguments;
  const auto seen = [&] {
    PointRange range;
    EXPECT_EQ(run(arguments,
                  [&](const PointWork& work) {
                    EXPECT_EQ(work.points.size(), 2U);
                    EXPECT_EQ(work.journal, nullptr);
                    range = work.range;
                    return kFailed;
                  }),
              kFailed);
    return range;
  };
  EXPECT_EQ(seen().size(), 2U);
  arguments.long_run.shard = {2, 2};
  EXPECT_EQ(seen().begin, 1U);
  EXPECT_EQ(seen().end, 2U);
}

TEST(RunArguments, ADryRunDoesNotRun) {
  const Workspace workspace;
  RunArguments arguments;
  arguments.dry_run = true;
  arguments.long_run.journal = workspace.path("run.journal");
  EXPECT_EQ(refusal(arguments), "");
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(RunArguments, OpenTheJournalForTheBody) {
  const Workspace workspace;
  RunArguments arguments;
  arguments.long_run.journal = workspace.path("run.journal");
  EXPECT_TRUE(arguments.want_rows());
  const auto add_first = [](const PointWork& work) {
    Point point;
    work.points.fill(0, point);
    work.journal->add({.point = point});
    return kDone;
  };
  EXPECT_EQ(run(arguments, add_first), kDone);
  EXPECT_THAT(refusal(arguments), StartsWith("--journal: '"));
  arguments.long_run.resume = true;
  EXPECT_EQ(run(arguments,
                [](const PointWork& work) {
                  EXPECT_EQ(work.journal->known(), 1U);
                  return kDone;
                }),
            kDone);
}

TEST(RunArguments, RefuseAJournalThatCannotBe) {
  const Workspace workspace;
  RunArguments arguments;
  arguments.long_run.resume = true;
  EXPECT_EQ(refusal(arguments), "--resume: expected --journal FILE: what to go on with");
  arguments.long_run.journal = arguments.outputs.csv = workspace.path("x");
  EXPECT_THAT(refusal(arguments), StartsWith("--journal: '"));
  EXPECT_THAT(workspace.files(), IsEmpty());
}

}  // namespace
}  // namespace hbmscope::testing
