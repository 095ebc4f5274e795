#include "cli/choose_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/gpu.h"
#include "sim/error.h"
#include "sim/gpu_settings.h"

namespace hbmscope {
namespace {

// A shipped GPU, or what --set made of one. Absent for a GPU that was described by a file: it is known by
// name only, and its roofs are left out of the page.
std::optional<GpuSpec> find_gpu(const std::string& name) {
  const std::vector<std::string> known = gpu_names();
  const std::string unchanged = name.substr(0, name.find('+'));
  if (std::find(known.begin(), known.end(), unchanged) == known.end()) return std::nullopt;
  try {
    return load_gpu(name);
  } catch (const UserError&) {  // changed in a way that this version does not know
    return std::nullopt;
  }
}

}  // namespace

bool has_name(const std::vector<GpuSpec>& gpus, std::string_view name) {
  return std::any_of(gpus.begin(), gpus.end(), [&](const GpuSpec& gpu) { return gpu.name == name; });
}

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
        GpuSpec copy = gpu;
        change_gpu(copy, "--set", value);
        if (!has_name(changed, copy.name)) changed.push_back(std::move(copy));
      }
    }
    gpus = std::move(changed);
  }
  return gpus;
}

std::vector<GpuSpec> gpus_of(const std::vector<Record>& records) {
  std::vector<GpuSpec> gpus;
  for (const Record& record : records) {
    const std::string& name = record.point.gpu;
    if (has_name(gpus, name)) continue;
    if (std::optional<GpuSpec> gpu = find_gpu(name)) {
      gpus.push_back(std::move(*gpu));
      gpus.back().name = name;  // changes may be spelled in another way than today's
    }
  }
  return gpus;
}

bool describes(const GpuSpec& gpu, std::string_view driver_name) { return gpu.full_name == driver_name; }

}  // namespace hbmscope
