// Stands in for nvrtc.cpp in a build without a CUDA toolkit.
#include "kernels/gpu.h"
#include "kernels/nvrtc.h"
#include "sim/error.h"

namespace hbmscope {

struct Nvrtc::Library {};

Nvrtc::Nvrtc() { throw UserError("the CUDA run-time compiler", "", kBuiltWithoutCuda); }
Nvrtc::~Nvrtc() = default;

// Without an object of this class the rest cannot be called.
Nvrtc::Output Nvrtc::compile(const EmbeddedFile&, std::span<const EmbeddedFile>,
                             std::span<const std::string>) const {
  throw UserError("the CUDA run-time compiler", "", kBuiltWithoutCuda);
}
std::string Nvrtc::version() const { throw UserError("the CUDA run-time compiler", "", kBuiltWithoutCuda); }
std::vector<int> Nvrtc::architectures() const {
  throw UserError("the CUDA run-time compiler", "", kBuiltWithoutCuda);
}

}  // namespace hbmscope
