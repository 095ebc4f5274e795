#include "kernels/nvrtc.h"

#include <fmt/format.h>
#include <nvrtc.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>

#include "kernels/cuda/dynamic_library.h"

namespace hbmscope {

namespace fs = std::filesystem;

namespace {

// X(member, function): the table has the types that nvrtc.h gives.
#define HBMSCOPE_NVRTC_FUNCTIONS(X)                     \
  X(get_error_string, nvrtcGetErrorString)              \
  X(get_version, nvrtcVersion)                          \
  X(get_num_supported_archs, nvrtcGetNumSupportedArchs) \
  X(get_supported_archs, nvrtcGetSupportedArchs)        \
  X(create_program, nvrtcCreateProgram)                 \
  X(destroy_program, nvrtcDestroyProgram)               \
  X(compile_program, nvrtcCompileProgram)               \
  X(get_log_size, nvrtcGetProgramLogSize)               \
  X(get_log, nvrtcGetProgramLog)                        \
  X(get_cubin_size, nvrtcGetCUBINSize)                  \
  X(get_cubin, nvrtcGetCUBIN)

LibrarySpec nvrtc_spec() {
  return {"the CUDA run-time compiler", versioned_sonames("libnvrtc", 13, 12), cuda_library_directories(),
          "install NVRTC 12.6 or newer (Debian package cuda-nvrtc-13-0 of "
          "https://developer.nvidia.com/cuda-downloads) "
          "or set CUDA_HOME to the toolkit"};
}

// NVRTC opens its libnvrtc-builtins by name alone, so one that lies outside the loader's path would not be
// found. Opened from beside NVRTC beforehand, it is: the loader knows a library that is already there by its
// name.
std::vector<DynamicLibrary> open_builtins(const fs::path& nvrtc) {
  std::vector<DynamicLibrary> builtins;
  if (!nvrtc.is_absolute()) return builtins;
  for (const fs::directory_entry& entry : fs::directory_iterator(nvrtc.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("libnvrtc-builtins.so.")) continue;
    builtins.emplace_back(
        LibrarySpec{"NVRTC's built-in functions", {entry.path().string()}, {}, nvrtc_spec().cure});
  }
  return builtins;
}

// The functions with which a text and its size are fetched come in pairs.
template <typename GetSize, typename GetText>
std::string fetch(GetSize get_size, GetText get_text, nvrtcProgram program) {
  std::size_t size = 0;
  if (get_size(program, &size) != NVRTC_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (get_text(program, text.data()) != NVRTC_SUCCESS) return {};
  return text;
}

}  // namespace

struct Nvrtc::Library {
  DynamicLibrary library;
  std::vector<DynamicLibrary> builtins;
#define HBMSCOPE_DECLARE(member, function) decltype(&function) member = nullptr;
  HBMSCOPE_NVRTC_FUNCTIONS(HBMSCOPE_DECLARE)
#undef HBMSCOPE_DECLARE

  Library() : library(nvrtc_spec()), builtins(open_builtins(library.path())) {
#define HBMSCOPE_RESOLVE(member, function) library.resolve(#function, member);
    HBMSCOPE_NVRTC_FUNCTIONS(HBMSCOPE_RESOLVE)
#undef HBMSCOPE_RESOLVE
  }

  void check(nvrtcResult result, const char* call) const {
    if (result != NVRTC_SUCCESS)
      throw std::runtime_error(fmt::format("{} failed: {}", call, get_error_string(result)));
  }
};

Nvrtc::Nvrtc() : library_(std::make_unique<Library>()) {}
Nvrtc::~Nvrtc() = default;

Nvrtc::Output Nvrtc::compile(const EmbeddedFile& source, std::span<const EmbeddedFile> headers,
                             std::span<const std::string> options) const {
  // NVRTC wants terminated strings; a view of an embedded file is not promised to be one.
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const EmbeddedFile& header : headers) {
    names.emplace_back(header.name);
    texts.emplace_back(header.text);
  }
  const auto pointers = [](std::span<const std::string> strings) {
    std::vector<const char*> result;
    for (const std::string& string : strings) result.push_back(string.c_str());
    return result;
  };
  const std::vector<const char*> name_pointers = pointers(names);
  const std::vector<const char*> text_pointers = pointers(texts);
  std::vector<const char*> option_pointers = pointers(options);
  // From 12.9 on NVRTC may serve what it compiled before, and then ptxas has nothing to say of it.
  if (version_numbers() >= std::pair(12, 9)) option_pointers.push_back("--no-cache");

  nvrtcProgram program = nullptr;
  library_->check(
      library_->create_program(&program, std::string(source.text).c_str(), std::string(source.name).c_str(),
                               static_cast<int>(headers.size()), text_pointers.data(), name_pointers.data()),
      "nvrtcCreateProgram");
  const std::shared_ptr<void> destroy_at_exit(nullptr, [&](void*) { library_->destroy_program(&program); });

  const nvrtcResult result =
      library_->compile_program(program, static_cast<int>(option_pointers.size()), option_pointers.data());
  Output output;
  output.log =
      fetch(library_->get_log_size, library_->get_log, program).c_str();  // without the terminating zero
  if (result != NVRTC_SUCCESS) {
    throw std::runtime_error(fmt::format("{} does not compile ({}): {}", source.name,
                                         library_->get_error_string(result), output.log));
  }
  output.cubin = fetch(library_->get_cubin_size, library_->get_cubin, program);
  if (output.cubin.empty()) throw std::runtime_error(fmt::format("{}: NVRTC gave no cubin", source.name));
  return output;
}

std::pair<int, int> Nvrtc::version_numbers() const {
  std::pair<int, int> version;
  library_->check(library_->get_version(&version.first, &version.second), "nvrtcVersion");
  return version;
}

std::string Nvrtc::version() const {
  const auto [major, minor] = version_numbers();
  return fmt::format("NVRTC {}.{}", major, minor);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  library_->check(library_->get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> architectures(static_cast<std::size_t>(count));
  library_->check(library_->get_supported_archs(architectures.data()), "nvrtcGetSupportedArchs");
  return architectures;
}

}  // namespace hbmscope
