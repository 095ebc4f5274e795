#include "profiler/calibration/kernels.h"

#include <string>

#include "sim/cta_rates.h"
#include "sim/kernel_shapes/flash1_mma.h"
#include "sim/kernel_shapes/flash2_mma.h"
#include "sim/kernel_shapes/standard_online_mma.h"

namespace hbmscope {

namespace {

std::vector<TracedKernel> every_build(const std::vector<TracedKernel>& tiles) {
  std::vector<TracedKernel> builds;
  for (TracedKernel build : tiles) {
    for (const Mask mask : {Mask::full, Mask::causal, Mask::window}) {
      for (const Order order : {Order::q_fastest, Order::head_fastest}) {
        for (const Walk walk : {Walk::up, Walk::down, Walk::alternating}) {
          build.mask = mask;
          build.order = order;
          build.kv_walk = walk;
          builds.push_back(build);
        }
      }
    }
  }
  return builds;
}

}  // namespace

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

KernelBuild cta_trace_build(const TracedKernel& traced) {
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  KernelBuild build = calibration_build(traced.algorithm + "_trace");
  build.macros = {{"HBMSCOPE_BC", std::to_string(traced.bc)},
                  {"HBMSCOPE_BR", std::to_string(traced.br)},
                  {"HBMSCOPE_DTYPE_BF16", "1"},
                  {"HBMSCOPE_HEAD_DIM", std::to_string(traced.head_dim)},
                  {"HBMSCOPE_HEAD_FASTEST", number(traced.order)},
                  {"HBMSCOPE_KV_WALK", number(traced.kv_walk)},
                  {"HBMSCOPE_MASK", number(traced.mask)},
                  {"HBMSCOPE_STAGES", std::to_string(kMeasuredStages)}};
  return build;
}

std::vector<TracedKernel> traced_kernels() {
  std::vector<TracedKernel> traced;
  const auto add = [&](const char* algorithm, const char* kernel, const auto& shape) {
    if (!shape.supported() || shape.ctas_per_sm() < 2) return;
    traced.push_back({algorithm, kernel, shape.br, shape.bc, shape.head_dim, shape.threads(),
                      shape.shared_bytes(), shape.ctas_per_sm()});
  };
  for (const int br : {128, 64}) {
    for (const int head_dim : kMmaHeadDims) {
      for (const int bc : {kMeasuredBc, 2 * kMeasuredBc})
        add("flash2", "flash2_mma", Flash2MmaShape{{br, bc, head_dim}, kMeasuredStages});
    }
  }
  traced = every_build(traced);
  for (const int br : {128, 64}) {
    for (const int head_dim : kMmaHeadDims)
      add("flash1", "flash1_mma", Flash1MmaShape{{br, kMeasuredBc, head_dim}, kMeasuredStages});
  }
  for (const int br : {128, 64}) {
    for (const int head_dim : {64, 128}) {
      const StandardPvShape shape{{br, kMeasuredBc, head_dim}, kMeasuredStages};
      add("standard_pv", "standard_pv", shape);
      add("standard_online_pv", "standard_online_pv", StandardOnlinePvShape{shape});
    }
  }
  return traced;
}

std::vector<KernelBuild> calibration_builds() {
  std::vector<KernelBuild> builds;
  for (const std::string_view file : {"lines", "sets", "rows", "set_uses", "sm_order", "rates"})
    builds.push_back(calibration_build(file));
  for (const TracedKernel& traced : traced_kernels()) builds.push_back(cta_trace_build(traced));
  return builds;
}

}  // namespace hbmscope
