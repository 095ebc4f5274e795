// --shard and merge, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/sweep_run.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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
