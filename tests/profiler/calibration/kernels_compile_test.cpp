// The micro-kernels of the calibration compile for the oldest and for the recorded architecture.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/compiler.h"
#include "profiler/calibration/kernels.h"

namespace hbmscope {

class CalibrationKernels : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Architectures, CalibrationKernels, testing::Values(80, 90),
                         [](const auto& architecture) { return std::to_string(architecture.param); });

namespace {

std::string name_of(const KernelBuild& build) {
  std::string name = build.kernel;
  for (const KernelMacro& macro : build.macros) name += fmt::format(" {}={}", macro.name, macro.value);
  return name;
}

}  // namespace

// A spill would be counted as traffic, and slow down what is timed. Where flash2 itself spills, so does what
// is timed instead of it.
TEST_P(CalibrationKernels, CompileWithoutSpillsOfTheirOwn) {
  const KernelCompiler compiler;  // the user's cache, so that a second run takes no time
  ASSERT_FALSE(compiler.absence()) << compiler.absence()->what();
  const std::vector<KernelBuild> builds = calibration_builds();
  for (std::size_t number = 0; number < builds.size(); ++number) {
    const KernelBuild& build = builds[number];
    // Of the eighteen builds of a tile one or two: the kernels without timestamps are compiled elsewhere.
    const bool is_flash2 = build.kernel == "flash2_trace";
    if (is_flash2 && number % 11 != 0) continue;
    SCOPED_TRACE(name_of(build));
    const CompiledKernels compiled = compiler.compile(build, GetParam(), calibration_files());
    EXPECT_FALSE(compiled.resources.empty());
    int of_flash2 = 0;
    for (const KernelResources& kernel : compiled.resources) {
      if (kernel.entry == "flash2_mma") of_flash2 = kernel.spill_store_bytes + kernel.spill_load_bytes;
    }
    for (const KernelResources& kernel : compiled.resources)
      EXPECT_LE(kernel.spill_store_bytes + kernel.spill_load_bytes, is_flash2 ? of_flash2 : 0)
          << kernel.entry;
  }
}

}  // namespace hbmscope
