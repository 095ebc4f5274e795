#include "reports/run_info.h"

#include <gmock/gmock.h>

#include "hbmscope/version.h"

namespace hbmscope {
namespace {

TEST(RunInfo, SaysWhatRanAndWhen) {
  const RunInfo run = this_run({"hbmscope", "predict"});
  EXPECT_EQ(run.version, kVersion);
  EXPECT_EQ(run.git_commit, kCommit);
  EXPECT_EQ(run.argv, (std::vector<std::string>{"hbmscope", "predict"}));
  EXPECT_THAT(run.date, testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

}  // namespace
}  // namespace hbmscope
