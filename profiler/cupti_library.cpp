#include "profiler/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "kernels/cuda/dynamic_library.h"
#include "profiler/cupti_errors.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr unsigned kOldestVersion = 24;  // CUDA 12.6 brought the range profiler and the host API

LibrarySpec cupti_spec() {
  return {
      "CUPTI (libcupti)", versioned_sonames("libcupti", 13, 12), cuda_library_directories(),
      "install it from CUDA 12.6 or newer (package cuda-cupti-13-0), or set CUDA_HOME or LD_LIBRARY_PATH to "
      "where it is; recorded counters work without it"};
}

// CUPTI opens libnvperf_host.so by its bare name, which the loader finds only on its own path. Opening it
// here from CUPTI's folder makes that name known. A failure shows later, with the cure, as NOT_INITIALIZED.
void open_nvperf_beside(const CuptiApi& api) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(api.get_version), &where) == 0 || where.dli_fname == nullptr) return;
  const auto folder = std::filesystem::path(where.dli_fname).parent_path();
  dlopen((folder / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

struct LoadedCupti {
  DynamicLibrary library;
  CuptiApi api;
  unsigned version = 0;

  LoadedCupti() : library(cupti_spec()) {
#define HBMSCOPE_RESOLVE(member, function) library.resolve(#function, api.member);
    HBMSCOPE_CUPTI_FUNCTIONS(HBMSCOPE_RESOLVE)
#undef HBMSCOPE_RESOLVE
    if (api.get_version(&version) != CUPTI_SUCCESS || version < kOldestVersion) {
      throw UserError(library.path(), fmt::format("CUPTI version {}", version),
                      "version 24 (CUDA 12.6) or newer; install a newer toolkit");
    }
    open_nvperf_beside(api);
  }
};

const LoadedCupti& loaded() {
  static const LoadedCupti cupti;
  return cupti;
}

}  // namespace

CuptiError::CuptiError(const char* call, CUptiResult result)
    : CounterError(cupti_error_words(call, static_cast<int>(result), cupti_result_name(result))),
      result_(result) {}

const CuptiApi& cupti() { return loaded().api; }
std::string cupti_path() { return loaded().library.path(); }
unsigned cupti_version() { return loaded().version; }

std::string cupti_result_name(CUptiResult result) {
  const char* name = nullptr;
  return cupti().get_result_string(result, &name) == CUPTI_SUCCESS && name != nullptr ? name : "";
}

void check_cupti(CUptiResult result, const char* call) {
  if (result != CUPTI_SUCCESS) throw CuptiError(call, result);
}

}  // namespace hbmscope
