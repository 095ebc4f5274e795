// Stands in for version_cuda.cpp in a build without a CUDA toolkit.
#include "cli/version_text.h"
#include "kernels/gpu.h"

namespace hbmscope {

std::string cupti_text() { return std::string("absent: ") + kBuiltWithoutCuda; }

}  // namespace hbmscope
