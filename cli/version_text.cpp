#include "cli/version_text.h"

#include <fmt/format.h>

#include <exception>

#include "hbmscope/version.h"
#include "kernels/gpu.h"
#include "kernels/nvrtc.h"

namespace hbmscope {
namespace {

std::string driver_text() {
  const std::string absence = gpu_absence_reason();
  if (!absence.empty()) return "absent: " + absence;
  try {
    const InstalledGpu gpu = installed_gpu();
    return fmt::format("up to {}, {}", cuda_version_text(gpu.driver_cuda_version), gpu.name);
  } catch (const std::exception& error) {
    return std::string("cannot be used: ") + error.what();
  }
}

std::string nvrtc_text() {
  try {
    return Nvrtc().version();
  } catch (const std::exception& error) {
    return std::string("absent: ") + error.what();
  }
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

std::string version_text() {
  const std::string commit = kCommit.empty() ? "" : fmt::format(" ({})", kCommit);
  return fmt::format("hbmscope {}{}\nCUDA driver  {}\nNVRTC        {}\nCUPTI        {}", kVersion, commit,
                     driver_text(), nvrtc_text(), cupti_text());
}

}  // namespace hbmscope
