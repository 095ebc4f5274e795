// The command on a GPU: what it writes is read again, and says that it was measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/gpu.h"
#include "sim/gpu.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;

TEST(CalibrateGpu, WritesADescriptionThatIsReadAgain) {
  const std::string reason = gpu_absence_reason();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const Workspace workspace;
  const Result result =
      workspace.run({"calibrate", "--only", "order,rates,ctas", "-o", "gpu.toml", "--evidence", "raw"});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  const GpuSpec gpu = parse_gpu(workspace.read("gpu.toml"), "gpu.toml");
  EXPECT_EQ(gpu.full_name, installed_gpu().name);
  ASSERT_TRUE(gpu.hbm_bytes_per_s_measured && gpu.l2_bytes_per_s && gpu.younger_cta_rate);
  EXPECT_GT(gpu.cta_rates.size(), 10U);  // flash1 and flash2, each in several tiles
  EXPECT_TRUE(gpu.hbm_bytes_per_s_measured->measured);
  EXPECT_THAT(gpu.hbm_bytes_per_s_measured->source, HasSubstr("hbmscope calibrate"));
  EXPECT_GT(gpu.hbm_bytes_per_s_measured->value, 0.5 * gpu.hbm_bytes_per_s.value);
  EXPECT_GT(gpu.l2_bytes_per_s->value, gpu.hbm_bytes_per_s_measured->value);
  EXPECT_FALSE(gpu.sm_runs.empty());
  EXPECT_THAT(result.err, HasSubstr("rates: "));
  EXPECT_THAT(result.out, HasSubstr("younger CTA's rate"));
  EXPECT_GT(count_lines(workspace.read("raw/rates.csv")), 5U);
  EXPECT_GT(count_lines(workspace.read("raw/cta_trace.csv")), 100U);
}

}  // namespace
}  // namespace hbmscope::testing
