#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cubin_cache.h"
#include "kernels/nvrtc.h"
#include "kernels/ptxas_log.h"
#include "kernels/sources.h"
#include "sim/error.h"

namespace hbmscope {

struct CompiledKernels {
  std::string cubin;
  std::vector<KernelResources> resources;  // one per entry function
  std::string kernel_hash;
  std::string architecture;  // "sm_90"
  std::string compiler;      // "NVRTC 13.0"
  bool from_cache = false;

  // Throws std::logic_error when there is no such entry.
  const KernelResources& resources_of(std::string_view entry) const;
};

// Compiles kernels for an exact tile and keeps them on disk. Without NVRTC it still gives what is cached:
// then the entry with the same kernel hash, options and architecture from the newest compiler is taken.
class KernelCompiler {
 public:
  // Opens NVRTC when there is one.
  explicit KernelCompiler(std::filesystem::path cache_directory = default_cache_directory());
  // For a machine without a compiler, `absence` saying why.
  KernelCompiler(std::filesystem::path cache_directory, UserError absence);

  // `compute_capability` is 90 for sm_90. Throws UserError when the kernel is not cached and there is no
  // compiler, or when the compiler does not know the architecture; std::runtime_error with NVRTC's log when
  // the source does not compile.
  CompiledKernels compile(const KernelBuild& build, int compute_capability,
                          std::span<const EmbeddedFile> files = device_sources()) const;

  // Why nothing new can be compiled; absent when NVRTC was opened.
  const std::optional<UserError>& absence() const { return absence_; }
  const CubinCache& cache() const { return cache_; }

 private:
  CachedCubin run_compiler(const KernelBuild& build, int compute_capability,
                           std::span<const EmbeddedFile> files) const;

  CubinCache cache_;
  std::unique_ptr<Nvrtc> nvrtc_;
  std::optional<UserError> absence_;
};

}  // namespace hbmscope
