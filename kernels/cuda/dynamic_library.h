#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// What to open and where: every soname is tried through the loader's own path first, then in every directory.
struct LibrarySpec {
  std::string name;                  // as a person calls it: "the CUDA driver"
  std::vector<std::string> sonames;  // best first: "libnvrtc.so.13", "libnvrtc.so.12"
  std::vector<std::filesystem::path> directories;
  std::string cure;  // how to get it, a full clause: "install …"
};

// A library opened with dlopen for the lifetime of the object.
class DynamicLibrary {
 public:
  // Throws UserError saying what was looked for, where, the loader's last reason, and the cure.
  explicit DynamicLibrary(const LibrarySpec& spec);
  ~DynamicLibrary();

  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;

  // The path or soname that was opened.
  const std::string& path() const { return path_; }

  // nullptr when the library has no such symbol.
  void* find_symbol(const char* symbol) const;

  // Throws UserError when the library has no such symbol: it is too old.
  template <typename Function>
  void resolve(const char* symbol, Function*& function) const {
    function = reinterpret_cast<Function*>(require_symbol(symbol));
  }

 private:
  void* require_symbol(const char* symbol) const;

  void* handle_ = nullptr;
  std::string path_;
  std::string cure_;
};

// Directories of an installed CUDA toolkit that may hold its libraries: $CUDA_HOME, $CUDA_PATH, the
// toolkit of the build, /usr/local/cuda and /usr/local/cuda-*, each with lib64, targets/x86_64-linux/lib and
// extras/CUPTI/lib64; only those that exist.
std::vector<std::filesystem::path> cuda_library_directories();

// "libnvrtc.so.13", …, "libnvrtc.so.12", "libnvrtc.so": every major version from newest to oldest.
std::vector<std::string> versioned_sonames(std::string_view base, int newest_major, int oldest_major);

}  // namespace hbmscope
