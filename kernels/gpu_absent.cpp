// Stands in for gpu_cuda.cpp in a build without a CUDA toolkit.
#include "kernels/gpu.h"
#include "sim/error.h"

namespace hbmscope {

std::string gpu_absence_reason() { return kBuiltWithoutCuda; }

InstalledGpu installed_gpu(int) { throw UserError("GPU", "", kBuiltWithoutCuda); }

}  // namespace hbmscope
