#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "kernels/compiler.h"
#include "tests/kernels/temporary_directory.h"

namespace hbmscope {
namespace {

std::vector<EmbeddedFile> sources(std::string_view body) {
  return {{"kernels/device/k.cu", body}, {"sim/factor.h", "constexpr int factor() { return FACTOR; }\n"}};
}

constexpr std::string_view kBody =
    "#include \"sim/factor.h\"\n"
    "extern \"C\" __global__ void k(float* x) {\n"
    "  __shared__ float s[64];\n"
    "  s[threadIdx.x] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  x[threadIdx.x] = s[63 - threadIdx.x] * factor();\n"
    "}\n";
const KernelBuild kBuild{"k", {{"FACTOR", "3"}}};

class KernelCompilerTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  KernelCompiler compiler_{directory_.path()};
};

TEST_F(KernelCompilerTest, CompilesAndReadsTheKernelsResources) {
  ASSERT_FALSE(compiler_.absence());
  const CompiledKernels compiled = compiler_.compile(kBuild, 90, sources(kBody));
  EXPECT_EQ(compiled.cubin.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(compiled.architecture, "sm_90");
  EXPECT_EQ(compiled.compiler.substr(0, 6), "NVRTC ");
  EXPECT_FALSE(compiled.from_cache);
  const KernelResources& resources = compiled.resources_of("k");
  EXPECT_GT(resources.registers, 0);
  EXPECT_EQ(resources.static_shared_bytes, 64 * 4);
  EXPECT_EQ(resources.spill_store_bytes, 0);
}

TEST_F(KernelCompilerTest, FindsWhatItCompiledBefore) {
  const CompiledKernels first = compiler_.compile(kBuild, 90, sources(kBody));
  const CompiledKernels second = compiler_.compile(kBuild, 90, sources(kBody));
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.compiler, first.compiler);
  EXPECT_EQ(second.resources_of("k").registers, first.resources_of("k").registers);
}

TEST_F(KernelCompilerTest, CompilesAgainForOtherTextMacrosAndArchitectures) {
  compiler_.compile(kBuild, 90, sources(kBody));
  EXPECT_FALSE(compiler_.compile(kBuild, 80, sources(kBody)).from_cache);
  EXPECT_FALSE(compiler_.compile({"k", {{"FACTOR", "4"}}}, 90, sources(kBody)).from_cache);
  EXPECT_FALSE(compiler_.compile(kBuild, 90, sources(std::string(kBody) + "// changed\n")).from_cache);
}

TEST_F(KernelCompilerTest, CompilesAgainWhatIsDamaged) {
  const CompiledKernels first = compiler_.compile(kBuild, 90, sources(kBody));
  for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
    std::ofstream(file.path(), std::ios::binary) << "damaged";
  }
  EXPECT_EQ(compiler_.compile(kBuild, 90, sources(kBody)).cubin, first.cubin);
  EXPECT_TRUE(compiler_.compile(kBuild, 90, sources(kBody)).from_cache);
}

TEST_F(KernelCompilerTest, ServesAMachineWithoutNvrtc) {
  const CompiledKernels compiled = compiler_.compile(kBuild, 90, sources(kBody));
  const KernelCompiler elsewhere(directory_.path(), UserError("the CUDA run-time compiler", "", "not found"));
  const CompiledKernels found = elsewhere.compile(kBuild, 90, sources(kBody));
  EXPECT_TRUE(found.from_cache);
  EXPECT_EQ(found.cubin, compiled.cubin);
  EXPECT_EQ(found.compiler, compiled.compiler);
  EXPECT_THROW(elsewhere.compile(kBuild, 80, sources(kBody)), UserError);
}

TEST_F(KernelCompilerTest, GivesTheCompilersWordsForAnError) {
  try {
    compiler_.compile(kBuild, 90, sources("extern \"C\" __global__ void k() {\n  undeclared = 1;\n}\n"));
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("kernels/device/k.cu(2)"), std::string::npos) << text;
    EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
  }
}

TEST_F(KernelCompilerTest, ListsTheArchitecturesItKnows) {
  try {
    compiler_.compile(kBuild, 10, sources(kBody));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.value(), "sm_10");
    EXPECT_NE(error.accepted().find("sm_90"), std::string::npos) << error.accepted();
  }
}

}  // namespace
}  // namespace hbmscope
