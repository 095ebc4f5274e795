// The micro-kernels of the calibration compile for the oldest and for the recorded architecture.
#include <gtest/gtest.h>

#include "kernels/compiler.h"
#include "profiler/calibration/kernels.h"

namespace hbmscope {

class CalibrationKernels : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Architectures, CalibrationKernels, testing::Values(80, 90),
                         [](const auto& architecture) { return std::to_string(architecture.param); });

// A spill would be counted as traffic, and slow down what is timed.
TEST_P(CalibrationKernels, CompileWithoutSpills) {
  const KernelCompiler compiler;  // the user's cache, so that a second run takes no time
  ASSERT_FALSE(compiler.absence()) << compiler.absence()->what();
  for (const KernelBuild& build : calibration_builds()) {
    SCOPED_TRACE(build.kernel);
    const CompiledKernels compiled = compiler.compile(build, GetParam(), calibration_files());
    EXPECT_FALSE(compiled.resources.empty());
    for (const KernelResources& kernel : compiled.resources) {
      EXPECT_EQ(kernel.spill_store_bytes, 0) << kernel.entry;
      EXPECT_EQ(kernel.spill_load_bytes, 0) << kernel.entry;
    }
  }
}

}  // namespace hbmscope
