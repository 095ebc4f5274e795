// compile needs NVRTC, but no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCompile =
    "HBMSCOPE_CACHE_DIR=cache \"$PROGRAM\" compile --seqlen 512,1k --algorithm flash2 --br 64,512 --bc 64";

TEST(Compile, FillsTheCacheOnceForEachKernel) {
  const Workspace workspace;
  const Result first = workspace.run_shell(kCompile);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("flash2_mma"));
  EXPECT_THAT(first.out, HasSubstr("sm_90"));
  EXPECT_THAT(first.out, HasSubstr("compiled"));
  EXPECT_THAT(first.err, HasSubstr("1 kernels in cache"));
  EXPECT_THAT(first.err, HasSubstr("without a kernel: br 512"));
  const Result second = workspace.run_shell(kCompile);
  EXPECT_EQ(second.code, 0);
  EXPECT_THAT(second.out, HasSubstr("was cached"));
  EXPECT_THAT(second.out, Not(HasSubstr("compiled")));
}

}  // namespace
}  // namespace hbmscope::testing
