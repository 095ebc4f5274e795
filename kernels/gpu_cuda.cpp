#include "kernels/cuda/device.h"
#include "kernels/cuda/driver.h"
#include "kernels/gpu.h"
#include "sim/error.h"

namespace hbmscope {

std::string gpu_absence_reason() {
  try {
    driver();
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

InstalledGpu installed_gpu(int ordinal) {
  const Device device(ordinal);
  return {.name = device.name(),
          .compute_capability = device.compute_capability(),
          .sms = device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
          .memory_bytes = device.total_memory_bytes(),
          .l2_bytes = static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)),
          .driver_cuda_version = driver_cuda_version()};
}

}  // namespace hbmscope
