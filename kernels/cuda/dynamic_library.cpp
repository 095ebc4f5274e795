#include "kernels/cuda/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <utility>

#include "sim/error.h"

namespace hbmscope {

namespace fs = std::filesystem;

namespace {

// Once open, a library stays until the program ends: NVRTC does not give back all its memory when unloaded.
constexpr int kOpenMode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

std::string last_loader_error() {
  const char* reason = dlerror();
  return reason == nullptr ? "unknown" : reason;
}

std::string describe_search(const LibrarySpec& spec) {
  std::string places = "the loader's path";
  for (const fs::path& directory : spec.directories) places += ", " + directory.string();
  return fmt::format("looked for {} in {}", fmt::join(spec.sonames, ", "), places);
}

// Toolkits unpacked beside each other, newest version first.
std::vector<fs::path> numbered_toolkits() {
  std::vector<fs::path> roots;
  std::error_code ignored;  // no /usr/local to list means no toolkit in it
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda-")) roots.push_back(entry.path());
  }
  std::sort(roots.begin(), roots.end(), std::greater<>());
  return roots;
}

}  // namespace

DynamicLibrary::DynamicLibrary(const LibrarySpec& spec) : cure_(spec.cure) {
  std::string reason;
  const auto open = [&](const std::string& candidate) {
    handle_ = dlopen(candidate.c_str(), kOpenMode);
    if (handle_ != nullptr) path_ = candidate;
    return handle_ != nullptr;
  };
  for (const std::string& soname : spec.sonames) {
    if (open(soname)) return;
    reason = last_loader_error();
  }
  for (const fs::path& directory : spec.directories) {
    for (const std::string& soname : spec.sonames) {
      std::error_code ignored;
      const fs::path candidate = directory / soname;
      if (!fs::exists(candidate, ignored)) continue;
      if (open(candidate.string())) return;
      reason = last_loader_error();  // it is there and does not load: the reason that helps most
    }
  }
  throw UserError(spec.name, "",
                  fmt::format("not found: {} ({}); {}", describe_search(spec), reason, spec.cure));
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      cure_(std::move(other.cure_)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(cure_, other.cure_);
  return *this;
}

void* DynamicLibrary::find_symbol(const char* symbol) const { return dlsym(handle_, symbol); }

void* DynamicLibrary::require_symbol(const char* symbol) const {
  void* address = find_symbol(symbol);
  if (address == nullptr) {
    throw UserError(path_, "", fmt::format("has no function {}, so it is too old; {}", symbol, cure_));
  }
  return address;
}

std::vector<fs::path> cuda_library_directories() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') roots.emplace_back(value);
  }
  roots.emplace_back(HBMSCOPE_CUDA_ROOT);  // the toolkit that hbmscope was built with
  roots.emplace_back("/usr/local/cuda");
  for (fs::path& root : numbered_toolkits()) roots.push_back(std::move(root));

  std::vector<fs::path> directories;
  for (const fs::path& root : roots) {
    for (const char* sub : {"lib64", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"}) {
      std::error_code ignored;
      const fs::path directory = root / sub;
      const bool known = std::find(directories.begin(), directories.end(), directory) != directories.end();
      if (!known && fs::is_directory(directory, ignored)) directories.push_back(directory);
    }
  }
  return directories;
}

std::vector<std::string> versioned_sonames(std::string_view base, int newest_major, int oldest_major) {
  std::vector<std::string> sonames;
  for (int major = newest_major; major >= oldest_major; --major) {
    sonames.push_back(fmt::format("{}.so.{}", base, major));
  }
  sonames.push_back(fmt::format("{}.so", base));
  return sonames;
}

}  // namespace hbmscope
