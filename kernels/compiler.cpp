#include "kernels/compiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/fnv.h"

namespace hbmscope {

namespace {

// What every kernel is compiled with besides its macros. Line information costs nothing at run time and lets
// ncu and compute-sanitizer name source lines; functions without a qualifier (sim/kernel_shapes) are for the
// device.
const std::vector<std::string>& common_options() {
  static const std::vector<std::string> options{"--std=c++20", "--device-as-default-execution-space",
                                                "--generate-line-info", "--ptxas-options=-v"};
  return options;
}

std::string common_options_hash() {
  Fnv1a hash;
  for (const std::string& option : common_options()) hash.add(option);
  return fmt::format("{:08x}", hash.value() & 0xffffffffU);
}

std::string architecture_name(int compute_capability) { return fmt::format("sm_{}", compute_capability); }

}  // namespace

const KernelResources& CompiledKernels::resources_of(std::string_view entry) const {
  const auto found = std::ranges::find(resources, entry, &KernelResources::entry);
  if (found == resources.end()) throw std::logic_error(fmt::format("no kernel {} was compiled", entry));
  return *found;
}

KernelCompiler::KernelCompiler(std::filesystem::path cache_directory) : cache_(std::move(cache_directory)) {
  try {
    nvrtc_ = std::make_unique<Nvrtc>();
  } catch (const UserError& error) {
    absence_ = error;  // thrown by compile() for a kernel that is not cached
  }
}

KernelCompiler::KernelCompiler(std::filesystem::path cache_directory, UserError absence)
    : cache_(std::move(cache_directory)), absence_(std::move(absence)) {}

CompiledKernels KernelCompiler::compile(const KernelBuild& build, int compute_capability,
                                        std::span<const EmbeddedFile> files) const {
  const CubinKey key{kernel_hash(build, files), common_options_hash(), architecture_name(compute_capability),
                     nvrtc_ ? nvrtc_->version() : ""};
  std::optional<CachedCubin> entry = nvrtc_ ? cache_.load(key) : cache_.load_from_any_compiler(key);
  const bool from_cache = entry.has_value();
  if (!from_cache) {
    if (!nvrtc_) throw UserError(*absence_);
    entry = run_compiler(build, compute_capability, files);
  }
  std::vector<KernelResources> resources = parse_ptxas_log(entry->log);
  if (!from_cache) cache_.store(key, *entry);  // only what can be used
  return {.cubin = std::move(entry->cubin),
          .resources = std::move(resources),
          .kernel_hash = key.kernel_hash,
          .architecture = key.architecture,
          .compiler = std::move(entry->compiler),
          .from_cache = from_cache};
}

CachedCubin KernelCompiler::run_compiler(const KernelBuild& build, int compute_capability,
                                         std::span<const EmbeddedFile> files) const {
  const std::vector<int> known = nvrtc_->architectures();
  if (std::ranges::find(known, compute_capability) == known.end()) {
    throw UserError("architecture", architecture_name(compute_capability),
                    fmt::format("what {} compiles for: sm_{}", nvrtc_->version(), fmt::join(known, ", sm_")));
  }
  std::vector<std::string> options = common_options();
  options.push_back("--gpu-architecture=" + architecture_name(compute_capability));
  for (const KernelMacro& macro : build.macros) {
    options.push_back(fmt::format("--define-macro={}={}", macro.name, macro.value));
  }
  const std::vector<EmbeddedFile> sources = needed_sources(build, files);
  Nvrtc::Output output = nvrtc_->compile(sources.front(), std::span(sources).subspan(1), options);
  return {nvrtc_->version(), std::move(output.cubin), std::move(output.log)};
}

}  // namespace hbmscope
