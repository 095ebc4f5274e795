#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compiler.h"
#include "kernels/parallel.h"
#include "tests/kernels/gpu_cases.h"

namespace hbmscope {

struct LaunchBuild {
  KernelBuild build;
  std::int64_t threads;
};

// What the launches of the cases need; what they share is there once.
inline std::vector<LaunchBuild> builds_of(const std::vector<GpuCase>& cases) {
  std::map<std::string, LaunchBuild> by_hash;
  for (const GpuCase& c : cases) {
    const Program program = program_of(c);
    for (const Launch& launch : program.launches) {
      KernelBuild build = kernel_build(launch);
      std::string hash = kernel_hash(build);
      by_hash.emplace(std::move(hash), LaunchBuild{std::move(build), launch.threads});
    }
  }
  std::vector<LaunchBuild> builds;
  for (auto& [hash, build] : by_hash) builds.push_back(std::move(build));
  return builds;
}

// Compiles all of them, on all cores, and calls check(build, resources) for each.
template <typename Check>
void compile_all(const std::vector<GpuCase>& cases, const KernelCompiler& compiler, int compute_capability,
                 Check check) {
  const std::vector<LaunchBuild> builds = builds_of(cases);
  parallel_for(static_cast<std::int64_t>(builds.size()), [&](std::int64_t index) {
    const LaunchBuild& launch = builds[static_cast<std::size_t>(index)];
    const CompiledKernels compiled = compiler.compile(launch.build, compute_capability);
    check(launch, compiled.resources_of(launch.build.kernel));
  });
}

}  // namespace hbmscope
