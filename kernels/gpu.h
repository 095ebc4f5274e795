#pragma once

#include <cstdint>
#include <string>

// What every build can ask about the GPU of this machine. gpu_cuda.cpp answers through the driver,
// gpu_absent.cpp in a build without a CUDA toolkit. No CUDA header is needed here.
namespace hbmscope {

inline constexpr const char* kBuiltWithoutCuda =
    "this hbmscope was built without CUDA; install the CUDA toolkit 12.6 or newer (headers are enough: "
    "Debian packages "
    "cuda-cudart-dev-13-0, cuda-nvrtc-dev-13-0 and cuda-cupti-dev-13-0 of "
    "https://developer.nvidia.com/cuda-downloads) "
    "and build again with -DHBMSCOPE_CUDA=ON";

struct InstalledGpu {
  std::string name;            // as the driver spells it: "NVIDIA H200"
  int compute_capability = 0;  // 90 for sm_90
  int sms = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  int driver_cuda_version = 0;  // 13000: the newest CUDA that the driver supports
};

// Why no kernel can run here, in one line; empty when a GPU can be used.
std::string gpu_absence_reason();

// Throws UserError with gpu_absence_reason(), or for an ordinal that does not exist.
InstalledGpu installed_gpu(int ordinal = 0);

}  // namespace hbmscope
