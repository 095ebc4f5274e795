// Every kernel of the GPU tests' small shapes compiles for the oldest and for the recorded architecture.
#include <gtest/gtest.h>

#include <map>

#include "kernels/compiler.h"
#include "kernels/parallel.h"
#include "tests/kernels/gpu_cases.h"

namespace hbmscope {
namespace {

struct LaunchBuild {
  KernelBuild build;
  std::int64_t threads;
};

// By hash, so that what points share is compiled once.
std::map<std::string, LaunchBuild> builds_of(const std::vector<GpuCase>& cases) {
  std::map<std::string, LaunchBuild> builds;
  for (const GpuCase& c : cases) {
    const Program program = program_of(c);
    const std::vector<KernelBuild> of_program = kernel_builds(program);
    for (std::size_t index = 0; index < of_program.size(); ++index) {
      const std::int64_t threads = program.launches[static_cast<int>(index)].threads;
      builds.emplace(kernel_hash(of_program[index]), LaunchBuild{of_program[index], threads});
    }
  }
  return builds;
}

void expect_compiles(const std::vector<GpuCase>& cases, int compute_capability) {
  const KernelCompiler compiler;  // the user's cache, so that a second run takes no time
  ASSERT_FALSE(compiler.absence()) << compiler.absence()->what();
  std::vector<LaunchBuild> builds;
  for (auto& [hash, build] : builds_of(cases)) builds.push_back(build);
  parallel_for(static_cast<std::int64_t>(builds.size()), [&](std::int64_t index) {
    const LaunchBuild& launch = builds[static_cast<std::size_t>(index)];
    const CompiledKernels compiled = compiler.compile(launch.build, compute_capability);
    const KernelResources& resources = compiled.resources_of(launch.build.kernel);
    EXPECT_LE(resources.registers * launch.threads, 65536) << launch.build.kernel;  // of an SM
  });
}

TEST(KernelsCompile, ForSm80) {
  std::vector<GpuCase> cases;
  add_cases(cases, {.head_dim = 128}, {.br = 64, .bc = 64, .stages = 1});
  add_cases(cases, {.head_dim = 64}, {.br = 48, .bc = 80, .stages = 2});
  expect_compiles(cases, 80);
}

TEST(KernelsCompile, ForSm90) { expect_compiles(small_cases(), 90); }

}  // namespace
}  // namespace hbmscope
