#include "cli/choose_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/gpu.h"
#include "sim/error.h"
#include "sim/gpu_settings.h"

namespace hbmscope {

GpuSpec choose_gpu(std::string_view name) {
  if (name != "auto") return load_gpu(name);
  const std::string absence = gpu_absence_reason();
  if (!absence.empty()) {
    throw UserError("--gpu", "auto",
                    fmt::format("expected one of {} or a file, because no GPU can be used here: {}",
                                fmt::join(gpu_names(), ", "), absence));
  }
  const InstalledGpu installed = installed_gpu();
  for (const std::string& known : gpu_names()) {
    GpuSpec gpu = load_gpu(known);
    if (describes(gpu, installed.name)) return gpu;
  }
  throw UserError("--gpu", "auto",
                  fmt::format("expected a file that describes the installed {}; hbmscope comes with {}",
                              installed.name, fmt::join(gpu_names(), ", ")));
}

std::vector<GpuSpec> changed_gpus(std::vector<GpuSpec> gpus,
                                  const std::vector<std::vector<std::string>>& settings) {
  for (const std::vector<std::string>& values : settings) {
    if (gpus.size() * values.size() > kLargestChangedGpus) {
      throw UserError(
          "--set", values.back(),
          fmt::format("expected at most {} changed GPUs in all; use fewer values", kLargestChangedGpus));
    }
    std::vector<GpuSpec> changed;
    for (const GpuSpec& gpu : gpus) {
      for (const std::string& value : values) {
        changed.push_back(gpu);
        change_gpu(changed.back(), "--set", value);
      }
    }
    gpus = std::move(changed);
  }
  return gpus;
}

bool describes(const GpuSpec& gpu, std::string_view driver_name) { return gpu.full_name == driver_name; }

}  // namespace hbmscope
