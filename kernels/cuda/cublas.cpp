#include "kernels/cuda/cublas.h"

#include <fmt/format.h>

#include "kernels/cuda/dynamic_library.h"
#include "kernels/device_error.h"

namespace hbmscope {

namespace {

LibrarySpec cublas_spec() {
  return {"cuBLAS", versioned_sonames("libcublasLt", 13, 12), cuda_library_directories(),
          "install cuBLAS (Debian package libcublas-13-0 of https://developer.nvidia.com/cuda-downloads) or "
          "set CUDA_HOME to the toolkit"};
}

struct LoadedCublas {
  DynamicLibrary library;
  CublasApi api;

  LoadedCublas() : library(cublas_spec()) {
#define HBMSCOPE_RESOLVE(member, function) library.resolve(#function, api.member);
    HBMSCOPE_CUBLAS_FUNCTIONS(HBMSCOPE_RESOLVE)
#undef HBMSCOPE_RESOLVE
  }
};

}  // namespace

const CublasApi& cublas() {
  static const LoadedCublas* const loaded = new LoadedCublas();  // as the driver: never destroyed
  return loaded->api;
}

cublasLtHandle_t cublas_handle() {
  static const cublasLtHandle_t created = [] {
    cublasLtHandle_t handle = nullptr;
    check(cublas().create(&handle), "cublasLtCreate");
    return handle;
  }();
  return created;
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(call, static_cast<int>(status), cublas().get_status_string(status), false);
}

std::string cublas_version() {
  // 130100 for 13.1.0, as CUBLAS_VERSION.
  const std::size_t version = cublas().get_version();
  return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace hbmscope
