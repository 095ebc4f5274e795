#include "profiler/calibration/probe.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

#include "profiler/calibration/kernels.h"

namespace hbmscope {
namespace {

constexpr unsigned kThreads = 1024;
constexpr Bytes kAlignment = 8 * kMiB;

}  // namespace

Probe::Probe(const Device& device, const KernelCompiler& compiler)
    : device_(device),
      compiler_(compiler),
      sms_(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)),
      allocation_(kMemoryMib * kMiB + kAlignment),
      memory_((allocation_.address() + kAlignment - 1) / kAlignment * kAlignment) {
  check(driver().memset_d8_async(allocation_.address(), 0, allocation_.bytes(), nullptr), "cuMemsetD8Async");
  device_.synchronize();
}

Kernel Probe::kernel(const KernelBuild& build, const std::string& entry) {
  std::string name = build.kernel;
  for (const KernelMacro& macro : build.macros) name += fmt::format(" {}={}", macro.name, macro.value);
  auto found = modules_.find(name);
  if (found == modules_.end()) {
    const CompiledKernels compiled =
        compiler_.compile(build, device_.compute_capability(), calibration_files());
    found = modules_.emplace(name, Module(compiled.cubin)).first;
  }
  return found->second.kernel(entry);
}

void Probe::touch_once(Lines lines) {
  run(kernel(calibration_build("lines"), "touch_once"),
      {.grid_x = 2 * static_cast<unsigned>(sms_), .threads = kThreads}, lines.first, lines.count);
}

void Probe::touch_by_all(Lines lines) {
  run(kernel(calibration_build("lines"), "touch_by_all"),
      {.grid_x = static_cast<unsigned>(sms_), .threads = kThreads}, lines.first, lines.count);
}

void Probe::touch_by(int sm, Lines lines) {
  run_on(sm, kThreads, kernel(calibration_build("lines"), "touch_by"), lines.first, lines.count);
}

void Probe::write_once(Lines lines) {
  run(kernel(calibration_build("lines"), "write_once"),
      {.grid_x = 2 * static_cast<unsigned>(sms_), .threads = kThreads}, lines.first, lines.count);
}

void Probe::write_by(int sm, Lines lines) {
  run_on(sm, kThreads, kernel(calibration_build("lines"), "write_by"), lines.first, lines.count);
}

std::vector<std::uint16_t> Probe::latencies(int sm, Lines lines, std::span<const std::uint32_t> order) {
  order_.assign(order);
  run_on(sm, 1, kernel(calibration_build("lines"), "time_lines"), lines.first, order_.address(),
         static_cast<std::uint64_t>(order.size()), cycles_.address());
  return cycles_.first(order.size());
}

void Probe::no_cta_came(int sm) { throw std::runtime_error(fmt::format("no CTA came to SM {}", sm)); }

std::vector<std::uint32_t> in_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace hbmscope
