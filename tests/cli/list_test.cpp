// `list` and `--version`: what there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profiler/metrics.h"
#include "sim/gpu.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(List, KnowsWhatThereIs) {
  const Workspace workspace;
  EXPECT_THAT(workspace.run({"list", "gpus"}).out, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(workspace.run({"list", "settings"}).out, HasSubstr("4.8TB/s"));
  EXPECT_THAT(workspace.run({"list", "settings", "--gpu", "mi300x"}).out, HasSubstr("5.3TB/s"));
  EXPECT_THAT(workspace.run({"list", "models"}).out, HasSubstr("Gemma 2 9B"));
  EXPECT_THAT(workspace.run({"list", "algorithms"}).out, HasSubstr("flash1"));
  EXPECT_THAT(workspace.run({"list", "variants"}).out, HasSubstr("paper"));
  const Result counters = workspace.run({"list", "counters", "--gpu", "a100-80"});
  EXPECT_THAT(counters.out, HasSubstr("metrics on a100-80 (GA100)"));
  EXPECT_THAT(counters.out, HasSubstr("l1tex__m_xbar2l1tex_read_bytes.sum"));
  EXPECT_THAT(workspace.run({"list", "recorded"}).out,
              HasSubstr("hbmscope validate --counters recorded --algorithm standard,"));
}

TEST(List, KnowsTheChipOfEveryGpuThatRunsCuda) {
  for (const std::string& name : gpu_names()) {
    const GpuSpec gpu = load_gpu(name);
    EXPECT_EQ(family_of(gpu.chip) != nullptr, gpu.compute_capability.has_value()) << name << " " << gpu.chip;
  }
}

TEST(Version, NamesCommitAndLibraries) {
  const Workspace workspace;
  const Result result = workspace.run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("hbmscope "));
  EXPECT_THAT(result.out, HasSubstr("NVRTC"));
  EXPECT_THAT(result.out, HasSubstr("CUPTI"));
}

}  // namespace
}  // namespace hbmscope::testing
