#include "kernels/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sim/algorithms/algorithm.h"

namespace hbmscope {
namespace {

// A kernel with two headers, one of them included twice, and a file that it does not need.
std::vector<EmbeddedFile> small_sources() {
  return {{"kernels/device/k.cu", "#include \"kernels/device/a.cuh\"\n  # include \"sim/b.h\"\nint x = N;\n"},
          {"kernels/device/a.cuh", "#pragma once\n#include \"sim/b.h\"\n#include <cstdint>\n"},
          {"sim/b.h", "// #include \"not/a/directive.h\"\n"},
          {"kernels/device/other.cu", "int y;\n"}};
}

const KernelBuild kBuild{"k", {{"N", "1"}}};

std::vector<std::string_view> names(const std::vector<EmbeddedFile>& files) {
  std::vector<std::string_view> result;
  for (const EmbeddedFile& file : files) result.push_back(file.name);
  return result;
}

TEST(Sources, NeedsWhatIsIncludedDirectlyOrNot) {
  EXPECT_EQ(names(needed_sources(kBuild, small_sources())),
            (std::vector<std::string_view>{"kernels/device/k.cu", "kernels/device/a.cuh", "sim/b.h"}));
}

TEST(Sources, NamesTheIncludeThatIsMissing) {
  std::vector<EmbeddedFile> files = small_sources();
  files.erase(files.begin() + 2);
  try {
    needed_sources(kBuild, files);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("sim/b.h"), std::string::npos) << error.what();
  }
}

TEST(KernelHash, IsAKnownNumberForKnownText) {
  // FNV-1a over "kernels/device/k.cu\0int x;\0N\0" "1\0", computed independently in Python.
  EXPECT_EQ(kernel_hash(kBuild, std::vector<EmbeddedFile>{{"kernels/device/k.cu", "int x;"}}),
            "fe30e8fdb5ee2161");
}

TEST(KernelHash, ChangesWithTextAndMacrosAndNothingElse) {
  const std::string hash = kernel_hash(kBuild, small_sources());
  std::vector<EmbeddedFile> files = small_sources();
  std::ranges::reverse(files);  // the order in which files are embedded
  EXPECT_EQ(kernel_hash(kBuild, files), hash);
  files = small_sources();
  files[3].text = "int z;\n";  // not needed
  EXPECT_EQ(kernel_hash(kBuild, files), hash);
  files[2].text = "// changed\n";  // needed through a header
  EXPECT_NE(kernel_hash(kBuild, files), hash);
  EXPECT_NE(kernel_hash({"k", {{"N", "2"}}}, small_sources()), hash);
  EXPECT_NE(kernel_hash({"k", {{"M", "1"}}}, small_sources()), hash);
  EXPECT_NE(kernel_hash({"k", {}}, small_sources()), hash);
}

TEST(DeviceSources, AreTheFilesOfTheRepository) {
  ASSERT_FALSE(device_sources().empty());
  for (const EmbeddedFile& embedded : device_sources()) {
    std::ifstream file{std::string(embedded.name), std::ios::binary};  // tests run in the repository's root
    ASSERT_TRUE(file) << embedded.name;
    EXPECT_EQ(embedded.text, std::string(std::istreambuf_iterator<char>(file), {})) << embedded.name;
  }
}

TEST(KernelBuilds, ExistForEveryVariantWithAKernel) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (!variant.has_kernel) continue;
      Program program;
      build_program(*algorithm, variant, {}, program);
      const std::vector<KernelBuild> builds = kernel_builds(program, Tile{});
      EXPECT_EQ(builds.size(), program.launches.size());
      EXPECT_EQ(kernel_hash(builds).size(), 16U);
    }
  }
}

TEST(KernelBuilds, AreSharedByPointsThatTheKernelCannotTellApart) {
  Problem problem;
  problem.mask = Mask::full;
  Problem longer = problem;
  longer.seqlen_q = longer.seqlen_kv = 8192;
  longer.batch = 3;
  EXPECT_EQ(kernel_hash(kernel_build("flash2_mma", problem, {})),
            kernel_hash(kernel_build("flash2_mma", longer, {})));
  Problem causal = problem;
  causal.mask = Mask::causal;
  EXPECT_NE(kernel_hash(kernel_build("flash2_mma", problem, {})),
            kernel_hash(kernel_build("flash2_mma", causal, {})));
  // The full square is multiplied under a mask, too; only the softmax knows it.
  EXPECT_EQ(kernel_hash(kernel_build("standard_pv", problem, {})),
            kernel_hash(kernel_build("standard_pv", causal, {})));
}

TEST(KernelBuilds, DependOnEveryPartOfTheTileTheTypeAndTheHeadDim) {
  const Problem problem;
  const std::string hash =
      kernel_hash(kernel_build("flash2_mma", problem, {.br = 64, .bc = 64, .stages = 1}));
  for (const Tile& tile :
       {Tile{.br = 80, .bc = 64}, Tile{.br = 64, .bc = 80}, Tile{.br = 64, .bc = 64, .stages = 2}}) {
    EXPECT_NE(kernel_hash(kernel_build("flash2_mma", problem, tile)), hash);
  }
  Problem fp16;
  fp16.dtype = DataType::fp16;
  EXPECT_NE(kernel_hash(kernel_build("flash2_mma", fp16, {.br = 64, .bc = 64})), hash);
  Problem narrow;
  narrow.head_dim = narrow.head_dim_v = 64;
  EXPECT_NE(kernel_hash(kernel_build("flash2_mma", narrow, {.br = 64, .bc = 64})), hash);
}

TEST(KernelBuilds, RefuseAKernelThatDoesNotExist) {
  EXPECT_THROW(kernel_build("flash9_mma", {}, {}), std::logic_error);
}

}  // namespace
}  // namespace hbmscope
