// Every kernel of the GPU tests' small shapes compiles for the oldest and for the recorded architecture.
#include <gtest/gtest.h>

#include <map>

#include "tests/kernels/case_builds.h"

namespace hbmscope {
namespace {

template <typename Check>
void expect_compiles(const std::vector<GpuCase>& cases, int compute_capability, Check check) {
  const KernelCompiler compiler;  // the user's cache, so that a second run takes no time
  ASSERT_FALSE(compiler.absence()) << compiler.absence()->what();
  compile_all(cases, compiler, compute_capability,
              [&](const LaunchBuild& launch, const KernelResources& resources) {
                EXPECT_LE(resources.registers * launch.threads, 65536) << launch.build.kernel;  // of an SM
                check(launch, resources);
              });
}

void nothing_else(const LaunchBuild&, const KernelResources&) {}

TEST(KernelsCompile, ForSm80) {
  std::vector<GpuCase> cases;
  add_cases(cases, {.head_dim = 128}, {.br = 64, .bc = 64, .stages = 1});
  add_cases(cases, {.head_dim = 64}, {.br = 48, .bc = 80, .stages = 2});
  expect_compiles(cases, 80, nothing_else);
}

TEST(KernelsCompile, ForSm90) { expect_compiles(small_cases(), 90, nothing_else); }

// The tiles of FlashAttention-2 for each head dim.
TEST(KernelsCompile, WithoutSpillsForTheTilesThatPeopleRun) {
  struct HeadDimTile {
    std::int64_t head_dim, br, bc;
  };
  std::vector<GpuCase> cases;
  for (const auto& [head_dim, br, bc] :
       {HeadDimTile{32, 128, 128}, HeadDimTile{64, 128, 128}, HeadDimTile{80, 128, 64},
        HeadDimTile{96, 128, 64}, HeadDimTile{128, 128, 64}, HeadDimTile{192, 128, 64},
        HeadDimTile{192, 64, 64}, HeadDimTile{256, 128, 64}, HeadDimTile{256, 64, 64}}) {
    for (const Mask mask : {Mask::full, Mask::causal, Mask::window}) {
      const Problem problem{.head_dim = head_dim, .head_dim_v = head_dim, .mask = mask, .window = 1024};
      cases.push_back({"flash2", problem, {.br = br, .bc = bc}});
    }
  }
  expect_compiles(cases, 90, [](const LaunchBuild& launch, const KernelResources& resources) {
    EXPECT_EQ(resources.spill_store_bytes + resources.spill_load_bytes, 0) << kernel_hash(launch.build);
  });
}

TEST(RandomShapes, AreSeldomRefused) {
  std::map<std::string, int> run;
  for (const GpuCase& c : random_cases(kRandomShapes, 1)) ++run[c.algorithm];
  const std::vector<GpuCase> algorithms = for_all_algorithms({});
  EXPECT_EQ(run.size(), algorithms.size());
  for (const GpuCase& c : algorithms) EXPECT_GE(run[c.algorithm], kRandomShapes / 2) << c.algorithm;
}

}  // namespace
}  // namespace hbmscope
