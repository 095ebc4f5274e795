#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>

#include "kernels/compiler.h"
#include "kernels/cuda/device.h"
#include "profiler/calibration/calibrate.h"
#include "profiler/calibration/calibrated_gpu.h"
#include "profiler/calibration/evidence.h"
#include "profiler/calibration/measure.h"
#include "profiler/cupti_source.h"
#include "profiler/gpu_state.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Measurement {
  std::string_view step;
  void (*measure)(Calibration& calibration);
};

constexpr Measurement kMeasurements[] = {
    {"sides", measure_sides},       {"homes", measure_homes}, {"order", measure_sm_order},
    {"states", measure_states},     {"sets", measure_sets},   {"rows", measure_rows},
    {"writes", measure_set_writes}, {"rates", measure_rates}, {"ctas", measure_cta_rates},
    {"patterns", measure_patterns},
};

SmLimits limits_of(const Device& device) {
  const auto attribute = [&](CUdevice_attribute wanted) { return std::int64_t{device.attribute(wanted)}; };
  constexpr std::int64_t kRegistersPerThread = 255;  // of every compute capability since 3.5
  SmLimits limits;
  limits.threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  limits.warps_per_sm = limits.threads_per_sm / attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  limits.ctas_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  limits.threads_per_cta = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  limits.registers_per_thread = kRegistersPerThread;
  limits.shared_bytes_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  limits.shared_bytes_per_cta = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.shared_bytes_reserved = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  return limits;
}

DriverFacts facts_of(const Device& device) {
  constexpr double kKilohertz = 1e3;
  return {.full_name = device.name(),
          .compute_capability = device.compute_capability(),
          .sms = device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
          .clock_hz = kKilohertz * device.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
          .memory_clock_hz = kKilohertz * device.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
          .memory_bus_bits = device.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
          .memory_bytes = device.total_memory_bytes(),
          .l2_bytes = static_cast<Bytes>(device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)),
          .limits = limits_of(device),
          .driver = GpuState(device).driver_version().value_or("")};
}

// What the sizes of the patterns are chosen by.
GpuSpec stand_in(const DriverFacts& facts, const Findings& findings) {
  GpuSpec gpu;
  gpu.name = facts.full_name;
  gpu.sms = facts.sms;
  CacheLevel l2;
  l2.name = "L2";
  l2.instances = findings.sides();
  l2.copies = findings.copies.value_or(findings.sides());
  l2.capacity_bytes.value = static_cast<double>(facts.l2_bytes);
  gpu.caches.push_back(l2);
  return gpu;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// True if the steps that this one needs have come to their end.
bool can_run(std::string_view step, const std::vector<std::string_view>& failed) {
  const auto found = std::ranges::find(calibration_steps(), step, &CalibrationStep::name);
  return std::ranges::none_of(found->needs, [&](std::string_view needed) {
    return std::ranges::find(failed, needed) != failed.end();
  });
}

// Runs the chosen steps; what fails is noted and does not end the others, unless the GPU is lost.
void run_steps(const CalibrationOptions& options, Calibration& calibration, CalibrationOutcome& outcome) {
  std::vector<std::string_view> failed;
  const auto fail = [&](std::string_view step, const std::string& why) {
    failed.push_back(step);
    outcome.failures.push_back(fmt::format("{}: {}", step, why));
    options.say(outcome.failures.back());
  };
  for (const Measurement& measurement : kMeasurements) {
    if (std::ranges::find(options.steps, measurement.step) == options.steps.end()) continue;
    if (options.stopped()) return;
    if (!can_run(measurement.step, failed)) {
      fail(measurement.step, "not measured, because what it needs failed");
      continue;
    }
    if (!outcome.described) calibration.described = stand_in(calibration.facts, calibration.findings);
    const auto start = std::chrono::steady_clock::now();
    try {
      measurement.measure(calibration);
      options.say(fmt::format("{}: {:.1f} s", measurement.step, seconds_since(start)));
    } catch (const DeviceError& error) {
      fail(measurement.step, error.what());
      if (error.context_is_lost()) return;
    } catch (const std::exception& error) {
      fail(measurement.step, error.what());
    }
  }
}

}  // namespace

CalibrationOutcome calibrate(const CalibrationOptions& options) {
  const Device device;
  make_evidence_folder(options.evidence);
  const KernelCompiler compiler;
  CalibrationOutcome outcome;
  outcome.facts = facts_of(device);
  outcome.described = options.describe(outcome.facts.full_name);
  outcome.chip = outcome.described ? outcome.described->chip : "unknown";
  Probe probe(device, compiler);
  Calibration calibration{.probe = probe,
                          .evidence = options.evidence,
                          .facts = outcome.facts,
                          .described = outcome.described.value_or(GpuSpec{}),
                          .findings = {}};
  probe.flush();  // compiles, and brings the clocks up
  run_steps(options, calibration, outcome);
  outcome.findings = std::move(calibration.findings);
  return outcome;
}

}  // namespace hbmscope
