#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/calibration/cta_rates.h"
#include "profiler/calibration/latency.h"
#include "profiler/calibration/micro_patterns.h"
#include "profiler/calibration/rows.h"
#include "profiler/calibration/sides.h"
#include "sim/gpu.h"
#include "sim/units.h"

namespace hbmscope {

// What the driver says about the installed GPU.
struct DriverFacts {
  std::string full_name;
  int compute_capability = 0;
  std::int64_t sms = 0;
  double clock_hz = 0;  // boost
  double memory_clock_hz = 0;
  int memory_bus_bits = 0;
  Bytes memory_bytes = 0;
  Bytes l2_bytes = 0;
  SmLimits limits;
  std::string driver;  // "580.95.05"; empty if it is not known
};

// What benchmarks measured; absent where they were not run or refused their result.
struct FoundRates {
  std::optional<double> hbm_read_bytes_per_s;
  std::optional<double> hbm_copy_bytes_per_s;
  std::optional<double> l2_bytes_per_s;
  std::optional<double> sram_bytes_per_clock_per_sm;
  std::optional<double> exp_per_clock_per_sm;
  std::optional<double> bf16_flops_per_clock_per_sm;
  std::optional<double> fp16_flops_per_clock_per_sm;
  std::optional<double> l2_latency_clocks;
  std::optional<double> hbm_latency_clocks;
  std::optional<double> launch_ns;
  std::optional<double> cta_start_skew_ns;
};

// What calibration found out about a GPU; every part absent where it was not measured.
struct Findings {
  std::optional<LatencyBounds> bounds;
  std::vector<int> sm_sides;  // of each SM; empty if not measured
  std::optional<std::string> home_rule;
  std::vector<int> home_bits;  // address bits whose parity tells two homes apart
  std::optional<int> copies;
  std::optional<int> ways;
  std::optional<double> sets_of_side;
  std::optional<std::string> replacement;
  std::optional<MemoryRows> rows;
  std::vector<Ring> rings;
  std::optional<int> dirty_ways;
  std::vector<SmRun> sm_runs;
  std::optional<double> dirty_share;
  std::optional<double> knee_bytes;
  FoundRates rates;
  std::vector<KernelRates> cta_rates;
  std::vector<PatternRow> patterns;

  // Of the L2: the sets that addresses lead to, on all sides together.
  std::optional<Bytes> reached_bytes() const {
    if (!rows || !ways) return std::nullopt;
    return static_cast<Bytes>(rows->row_pages) * kPageBytes * static_cast<Bytes>(rows->classes * *ways);
  }
  int sides() const { return bounds && bounds->two_sides ? 2 : 1; }
};

}  // namespace hbmscope
