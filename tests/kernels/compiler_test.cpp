// What works without a compiler; compiler_nvrtc_test.cpp has the rest.
#include "kernels/compiler.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/kernels/temporary_directory.h"

namespace hbmscope {
namespace {

const std::vector<EmbeddedFile> kSources{{"kernels/device/k.cu", "extern \"C\" __global__ void k() {}\n"}};
const KernelBuild kBuild{"k", {}};
const UserError kAbsence("the CUDA run-time compiler", "", "not found: install it");

TEST(KernelCompiler, WithoutNvrtcSaysWhyItIsAbsent) {
  const TemporaryDirectory directory;
  const KernelCompiler compiler(directory.path(), kAbsence);
  try {
    compiler.compile(kBuild, 90, kSources);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), kAbsence.what());
  }
}

TEST(CompiledKernels, KnowTheirEntries) {
  CompiledKernels compiled;
  compiled.resources = {{.entry = "a", .registers = 1}, {.entry = "b", .registers = 2}};
  EXPECT_EQ(compiled.resources_of("b").registers, 2);
  EXPECT_THROW(compiled.resources_of("c"), std::logic_error);
}

}  // namespace
}  // namespace hbmscope
