#include "kernels/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
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

// The program of a variant, and the build of one of its launches.
Program program_of(std::string_view algorithm, const Plan& plan) {
  Program program;
  const Algorithm& found = find_algorithm(algorithm);
  build_program(found, find_variant(found, "mma"), plan, program);
  return program;
}

std::string hash_of(std::string_view algorithm, std::string_view kernel, const Plan& plan) {
  for (const KernelBuild& build : kernel_builds(program_of(algorithm, plan))) {
    if (build.kernel == kernel) return kernel_hash(build);
  }
  throw std::logic_error("no such kernel");
}

// The words in a text that begin as our macros do.
std::set<std::string> macro_names(std::string_view text) {
  constexpr std::string_view kPrefix = "HBMSCOPE_";
  std::set<std::string> names;
  for (std::size_t at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at)) {
    const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at);
    names.emplace(text.substr(at, end - at));
    at = std::min(end, text.size());
  }
  return names;
}

TEST(KernelBuilds, GiveEveryKernelExactlyTheMacrosThatItsSourceNames) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (!variant.has_kernel) continue;
      Program program;
      build_program(*algorithm, variant, {}, program);
      const std::vector<KernelBuild> builds = kernel_builds(program);
      const auto by_library = std::ranges::count_if(
          program.launches, [](const Launch& launch) { return launch.library_gemm.has_value(); });
      EXPECT_EQ(static_cast<std::ptrdiff_t>(builds.size()) + by_library, program.launches.count());
      EXPECT_EQ(kernel_hash(program).size(), 16U);
      for (const KernelBuild& build : builds) {
        std::set<std::string> given;
        for (const KernelMacro& macro : build.macros) given.insert(macro.name);
        EXPECT_EQ(given.size(), build.macros.size()) << build.kernel << " is given a macro twice";
        EXPECT_TRUE(std::ranges::is_sorted(build.macros, {}, &KernelMacro::name));
        std::set<std::string> named;
        for (const EmbeddedFile& file : needed_sources(build)) named.merge(macro_names(file.text));
        EXPECT_EQ(given, named) << build.kernel;
      }
    }
  }
}

// Nothing is compiled for cuBLAS's products, but what they are belongs to what runs.
TEST(KernelHash, CountsAProductByALibraryWithItsDescription) {
  Program program;
  const Algorithm& standard = find_algorithm("standard");
  build_program(standard, find_variant(standard, "cublas"), {}, program);
  const std::vector<KernelBuild> builds = kernel_builds(program);
  ASSERT_EQ(builds.size(), 1U);
  EXPECT_EQ(builds[0].kernel, "standard_softmax");
  const std::string hash = kernel_hash(program);
  EXPECT_NE(hash, kernel_hash(builds[0]));
  Program other(program);
  other.launches[0].library_gemm->tile_rows *= 2;
  EXPECT_NE(kernel_hash(other), hash);
  other = program;
  other.launches[2].library_gemm->b_transposed = true;
  EXPECT_NE(kernel_hash(other), hash);
}

TEST(KernelBuilds, AreSharedByPointsThatTheKernelCannotTellApart) {
  Problem problem;
  problem.mask = Mask::full;
  Problem longer = problem;
  longer.seqlen_q = longer.seqlen_kv = 8192;
  longer.batch = 3;
  EXPECT_EQ(hash_of("flash2", "flash2_mma", {problem}), hash_of("flash2", "flash2_mma", {longer}));
  Problem causal = problem;
  causal.mask = Mask::causal;
  EXPECT_NE(hash_of("flash2", "flash2_mma", {problem}), hash_of("flash2", "flash2_mma", {causal}));
  // The full square is multiplied under a mask, too; only the softmax knows it.
  EXPECT_EQ(hash_of("standard", "standard_pv", {problem}), hash_of("standard", "standard_pv", {causal}));
}

TEST(KernelBuilds, DependOnEveryPartOfTheTileTheTypeAndTheHeadDim) {
  const Tile tile{.br = 64, .bc = 64, .stages = 1};
  const auto flash2_hash = [](const Problem& problem, const Tile& of) {
    return hash_of("flash2", "flash2_mma", {problem, of});
  };
  const std::string hash = flash2_hash({}, tile);
  for (const Tile& other :
       {Tile{.br = 80, .bc = 64}, Tile{.br = 64, .bc = 80}, Tile{.br = 64, .bc = 64, .stages = 2}}) {
    EXPECT_NE(flash2_hash({}, other), hash);
  }
  Problem fp16;
  fp16.dtype = DataType::fp16;
  EXPECT_NE(flash2_hash(fp16, tile), hash);
  Problem narrow;
  narrow.head_dim = narrow.head_dim_v = 64;
  EXPECT_NE(flash2_hash(narrow, tile), hash);
}

TEST(KernelBuilds, RefuseAKernelThatDoesNotExist) {
  EXPECT_THROW(needed_sources({"flash9_mma", {}}), std::logic_error);
}

}  // namespace
}  // namespace hbmscope
