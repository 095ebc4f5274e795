#include "kernels/cuda/driver.h"

#include <fmt/format.h>

#include "kernels/cuda/dynamic_library.h"
#include "sim/error.h"

namespace hbmscope {

namespace {

LibrarySpec driver_spec() {
  // Only the driver package brings libcuda.so.1; the toolkit's stubs/libcuda.so must never be taken for it.
  return {"the CUDA driver",
          {"libcuda.so.1"},
          {"/usr/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/lib64",
           "/usr/lib/wsl/lib"},
          "install the NVIDIA driver (580 or newer for CUDA 13), or in a container start it with --gpus all"};
}

std::string error_text(const DriverApi& api, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return fmt::format("CUDA error {}", static_cast<int>(result));
  }
  api.get_error_string(result, &text);
  return fmt::format("{} ({})", name, text == nullptr ? "no description" : text);
}

// After these the driver answers every further call with an error.
bool context_is_lost_after(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

void require_device(const DriverApi& api) {
  const CUresult initialized = api.init(0);
  int count = 0;
  if (initialized == CUDA_SUCCESS) api.device_get_count(&count);
  if (initialized == CUDA_ERROR_NO_DEVICE || (initialized == CUDA_SUCCESS && count == 0)) {
    throw UserError("the CUDA driver", "",
                    "found no GPU; check `nvidia-smi -L` and CUDA_VISIBLE_DEVICES, or in a container start "
                    "it with --gpus all");
  }
  if (initialized != CUDA_SUCCESS) {
    throw UserError("the CUDA driver", "",
                    fmt::format("cuInit failed with {}; check `nvidia-smi` and that driver and kernel module "
                                "have the same version",
                                error_text(api, initialized)));
  }
}

struct LoadedDriver {
  DynamicLibrary library;
  DriverApi api;

  LoadedDriver() : library(driver_spec()) {
#define HBMSCOPE_RESOLVE(member, declaration, symbol) library.resolve(symbol, api.member);
    HBMSCOPE_DRIVER_FUNCTIONS(HBMSCOPE_RESOLVE)
#undef HBMSCOPE_RESOLVE
    require_device(api);
  }
};

}  // namespace

const DriverApi& driver() {
  // Never destroyed: CUDA objects with static lifetime may still call the driver while the process ends.
  static const LoadedDriver* const loaded = new LoadedDriver();
  return loaded->api;
}

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  throw DeviceError(call, static_cast<int>(result), error_text(driver(), result),
                    context_is_lost_after(result));
}

int driver_cuda_version() {
  int version = 0;
  check(driver().driver_get_version(&version), "cuDriverGetVersion");
  return version;
}

}  // namespace hbmscope
