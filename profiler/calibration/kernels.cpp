#include "profiler/calibration/kernels.h"

#include <string>

namespace hbmscope {

std::span<const EmbeddedFile> calibration_sources();  // profiler/calibration/device/*

std::span<const EmbeddedFile> calibration_files() {
  static const std::vector<EmbeddedFile> files = [] {
    const std::span<const EmbeddedFile> shared = device_sources();
    const std::span<const EmbeddedFile> own = calibration_sources();
    std::vector<EmbeddedFile> all(shared.begin(), shared.end());
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }();
  return files;
}

KernelBuild calibration_build(std::string_view file) {
  return {.kernel = std::string(file), .macros = {}, .folder = "profiler/calibration/device"};
}

KernelBuild cta_trace_build(int head_dim) {
  KernelBuild build = calibration_build("cta_trace");
  build.macros = {{"HBMSCOPE_BC", std::to_string(kTracedTile.bc)},
                  {"HBMSCOPE_BR", std::to_string(kTracedTile.br)},
                  {"HBMSCOPE_DTYPE_BF16", "1"},
                  {"HBMSCOPE_HEAD_DIM", std::to_string(head_dim)},
                  {"HBMSCOPE_HEAD_FASTEST", "0"},
                  {"HBMSCOPE_KV_WALK", "0"},
                  {"HBMSCOPE_MASK", "0"},
                  {"HBMSCOPE_STAGES", std::to_string(kTracedTile.stages)}};
  return build;
}

std::vector<KernelBuild> calibration_builds() {
  std::vector<KernelBuild> builds;
  for (const std::string_view file : {"lines", "sets", "set_uses", "sm_order", "rates"})
    builds.push_back(calibration_build(file));
  for (const int head_dim : kTracedHeadDims) builds.push_back(cta_trace_build(head_dim));
  return builds;
}

}  // namespace hbmscope
