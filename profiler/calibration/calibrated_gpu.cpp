#include "profiler/calibration/calibrated_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "profiler/calibration/sets.h"
#include "profiler/statistics.h"
#include "sim/l2/set_map.h"

namespace hbmscope {
namespace {

// A benchmark that beats what was published by more than this has measured something else.
constexpr double kTolerated = 1.02;

SourcedValue from_driver(double value, std::string_view what) {
  return {value, true, fmt::format("CUDA driver: {}", what)};
}

SourcedValue documented(double value, std::string_view source) { return {value, false, std::string(source)}; }

// Digits that a benchmark repeats.
double rounded(double value, int digits) { return std::stod(fmt::format("{:.{}g}", value, digits)); }

class Writer {
 public:
  Writer(CalibratedGpu& result, const std::string& stamp) : result_(result), stamp_(stamp) {}

  SourcedValue value(double number, std::string_view how) const {
    return {number, true, how.empty() ? stamp_ : fmt::format("{}: {}", stamp_, how)};
  }
  // A rate with three digits, unless it exceeds `published`.
  void rate(std::optional<SourcedValue>& to, const std::optional<double>& found, std::string_view name,
            std::string_view how, const std::optional<SourcedValue>& published = {}) {
    if (!found) return;
    if (!(*found > 0) || (published && *found > kTolerated * published->value)) {
      result_.refused.push_back(fmt::format(
          "{}: measured {:.4g}{}", name, *found,
          published ? fmt::format(", more than the {:.4g} that are published", published->value) : ""));
      return;
    }
    to = value(rounded(*found, 3), how);
  }
  // As large ones are of something else.
  void deviation(std::optional<SourcedValue>& to, std::string_view name, double found, std::string_view how) {
    if (found > kLargestDeviation) {
      result_.refused.push_back(
          fmt::format("deviation of {}: measured {:.3g}, more than {}", name, found, kLargestDeviation));
    } else if (found > 0) {
      to = value(rounded(found, 2), how);
    }
  }

 private:
  CalibratedGpu& result_;
  std::string stamp_;
};

void write_rates(const FoundRates& found, GpuSpec& gpu, Writer& writer) {
  MeasuredRates& measured = gpu.measured;
  writer.rate(gpu.hbm_bytes_per_s_measured, found.hbm_read_bytes_per_s, "HBM read", "2 GiB read by all SMs",
              gpu.hbm_bytes_per_s);
  writer.rate(measured.hbm_copy_bytes_per_s, found.hbm_copy_bytes_per_s, "HBM copy",
              "1 GiB copied by all SMs, read + write", gpu.hbm_bytes_per_s);
  writer.rate(gpu.l2_bytes_per_s, found.l2_bytes_per_s, "L2 read", "16 MiB read again and again by all SMs");
  writer.rate(measured.sram_bytes_per_clock_per_sm, found.sram_bytes_per_clock_per_sm, "shared memory",
              "ld.shared.v4 by 1024 threads", gpu.sram_bytes_per_clock_per_sm);
  writer.rate(measured.exp_per_clock_per_sm, found.exp_per_clock_per_sm, "exponentials",
              "ex2.approx by 1024 threads", gpu.exp_per_clock_per_sm);
  writer.rate(measured.tensor_flops_per_clock_per_sm_bf16, found.bf16_flops_per_clock_per_sm, "bf16",
              "mma.sync.m16n8k16 by 16 warps", gpu.tensor_flops_bf16);
  writer.rate(measured.tensor_flops_per_clock_per_sm_fp16, found.fp16_flops_per_clock_per_sm, "fp16",
              "mma.sync.m16n8k16 by 16 warps", gpu.tensor_flops_fp16);
  writer.rate(measured.l2_latency_clocks, found.l2_latency_clocks, "L2 latency",
              "median of lines that one SM had loaded, by all SMs");
  writer.rate(measured.hbm_latency_clocks, found.hbm_latency_clocks, "HBM latency",
              "median of lines that nobody had loaded");
  writer.rate(measured.launch_ns, found.launch_ns, "launch", "256 empty kernels one after the other");
  writer.rate(measured.cta_start_skew_ns, found.cta_start_skew_ns, "start skew",
              "%globaltimer of one CTA on every SM, last less first");
}

// A stretch is four rows where their classes are whole stretches; without rows a power of two, as nothing
// says how memory is dealt to the sets.
void write_stretches(const DriverFacts& facts, const Findings& findings, CacheLevel& l2, Writer& writer) {
  if (!findings.ways) return;
  const std::optional<Bytes> reached = findings.reached_bytes();
  if (reached && *reached <= facts.l2_bytes && findings.rows->classes % kRowsOfStretch == 0) {
    const MemoryRows& rows = *findings.rows;
    const Bytes row = static_cast<Bytes>(rows.row_pages) * kPageBytes;
    const std::string text = fmt::format("rows of {} KiB", row / kKiB);
    l2.reached_bytes = writer.value(static_cast<double>(*reached),
                                    fmt::format("{} ways of the {} {} that meet every set of a side once",
                                                *findings.ways, rows.classes, text));
    l2.stretch_bytes =
        writer.value(static_cast<double>(row * kRowsOfStretch), fmt::format("{} {}", kRowsOfStretch, text));
    l2.stretch_swaps = rows.swaps;
    return;
  }
  if (!findings.rows && !l2.stretch_swaps.empty()) return;  // rows of an earlier run
  const Bytes stretch = stretch_of(facts.l2_bytes, *findings.ways);
  l2.stretch_bytes = writer.value(
      static_cast<double>(stretch),
      fmt::format("the power of two in the {:.4g} MiB that meet every set of a side once",
                  static_cast<double>(facts.l2_bytes) / *findings.ways / static_cast<double>(kMiB)));
  l2.stretch_swaps.clear();
  l2.reached_bytes.reset();
}

void write_l2(const DriverFacts& facts, const Findings& findings, CacheLevel& l2, Writer& writer) {
  if (static_cast<double>(facts.l2_bytes) != l2.capacity_bytes.value) {
    l2.capacity_bytes = from_driver(static_cast<double>(facts.l2_bytes), "size of the L2");
    l2.reached_bytes.reset();
  }
  if (findings.bounds) {
    l2.instances = findings.sides();
    l2.copies = std::min<std::int64_t>(l2.copies, l2.instances);
  }
  if (findings.copies) l2.copies = *findings.copies;
  if (findings.home_rule) l2.home_rule = *findings.home_rule;
  if (findings.replacement) l2.replacement = *findings.replacement;
  if (findings.dirty_share) {
    l2.dirty_share = writer.value(*findings.dirty_share, "DRAM writes while more than the L2 was written");
  }
  if (findings.ways) {
    if (l2.ways && l2.ways->value != *findings.ways) l2.stretch_swaps.clear();  // another L2's
    l2.ways = writer.value(*findings.ways, "eviction sets");
  }
  write_stretches(facts, findings, l2, writer);
}

bool is_tile_of(const KernelCtaRates& tile, const KernelRates& rates) {
  return tile.kernel == rates.kernel && tile.br == rates.br && tile.head_dim == rates.head_dim;
}

double share(double value) { return rounded(std::max(value, 0.0), 3); }

CtaRates rounded_rates(const CtaRates& rates) {
  std::optional<double> quiet_stall;
  if (rates.quiet_stall) quiet_stall = share(*rates.quiet_stall);
  SharedStalls shared_stall{};
  std::ranges::transform(rates.shared_stall, shared_stall.begin(), share);
  return {.younger = share(std::max(rates.younger, 0.01)),
          .further = share(std::max(rates.further, 0.01)),
          .lone = share(rates.lone),
          .stall = share(rates.stall),
          .quiet_stall = quiet_stall,
          .shared_stall = shared_stall,
          .ctas_per_sm = rates.ctas_per_sm};
}

// Those of the first kernel, flash2, stand for all that were not traced: the median of its builds.
void write_cta_rates(const std::vector<KernelRates>& found, GpuSpec& gpu, Writer& writer) {
  if (found.empty()) return;
  gpu.cta_rates.clear();
  for (const KernelRates& each : found) {
    if (gpu.cta_rates.empty() || !is_tile_of(gpu.cta_rates.back(), each)) {
      const SourcedValue source = writer.value(1, "timestamps of CTAs");
      gpu.cta_rates.push_back({each.kernel, each.br, each.head_dim, source.source, source.measured, {}});
    }
    BuildCtaRates& written = gpu.cta_rates.back().builds.emplace_back(each.build);
    written.rates = rounded_rates(each.build.rates);
  }
  const std::string& kernel = found.front().kernel;
  const auto builds = std::ranges::count(found, kernel, &KernelRates::kernel);
  const std::string what = fmt::format("timestamps of the CTAs of {}, median of {} builds", kernel, builds);
  const auto median_of = [&](double (*value)(const KernelRates& build)) {
    std::vector<double> values;
    for (const KernelRates& each : found) {
      if (each.kernel == kernel) values.push_back(value(each));
    }
    return median(values).value();
  };
  const auto rate = [&](double found_rate) { return writer.value(rounded(found_rate, 3), what); };
  gpu.younger_cta_rate = rate(median_of([](const KernelRates& each) { return each.build.rates.younger; }));
  gpu.lone_cta_rate = rate(median_of([](const KernelRates& each) { return each.build.rates.lone; }));
  writer.deviation(gpu.shared_step_deviation, "steps",
                   median_of([](const KernelRates& each) { return each.deviations.step; }),
                   fmt::format("cycles of the oldest CTAs of {}", kernel));
  writer.deviation(gpu.lone_sm_deviation, "lone SMs",
                   median_of([](const KernelRates& each) { return each.deviations.lone_sm; }),
                   fmt::format("cycles of CTAs of {} alone on their SMs", kernel));
  writer.deviation(gpu.gpc_clock_deviation, "clocks",
                   median_of([](const KernelRates& each) { return each.deviations.gpc_clock; }),
                   fmt::format("cycles and time of launches of {}, by SM", kernel));
}

CacheLevel l2_by_driver(const DriverFacts& facts, const Findings& findings) {
  CacheLevel l2;
  l2.name = "L2";
  l2.instances = findings.sides();
  l2.capacity_bytes = from_driver(static_cast<double>(facts.l2_bytes), "size of the L2");
  l2.home_rule = "address hash";
  l2.copies = findings.copies.value_or(findings.sides());
  return l2;
}

// The next power of two: tensor cores come in powers of two, and mma.sync does not reach their rate.
std::optional<SourcedValue> tensor_rate(const std::optional<double>& measured) {
  if (!measured) return std::nullopt;
  return SourcedValue{std::exp2(std::ceil(std::log2(*measured))), true,
                      fmt::format("mma.sync reached {:.0f}; the next power of two", *measured)};
}

}  // namespace

GpuSpec described_by_driver(const DriverFacts& facts, const Findings& findings, const std::string& chip) {
  if (!findings.rates.fp16_flops_per_clock_per_sm) {
    throw std::runtime_error(
        "this GPU is in no description: its tensor cores must be measured (--only rates), or "
        "name a description to start from with --gpu");
  }
  GpuSpec gpu;
  gpu.name = "calibrated";
  gpu.full_name = facts.full_name;
  gpu.chip = chip;
  gpu.compute_capability = facts.compute_capability;
  gpu.sms = facts.sms;
  gpu.clock_hz = from_driver(facts.clock_hz, "peak clock");
  gpu.tensor_clock_hz = gpu.clock_hz;
  gpu.hbm_capacity_bytes = from_driver(static_cast<double>(facts.memory_bytes), "total memory");
  gpu.hbm_bytes_per_s =
      from_driver(2 * facts.memory_clock_hz * facts.memory_bus_bits / 8, "2 x memory clock x bus width");
  gpu.sram_bytes_per_clock_per_sm = documented(128, "CUDA C++ programming guide: 32 banks of 4 bytes");
  gpu.exp_per_clock_per_sm =
      documented(16, "CUDA C++ programming guide, arithmetic throughput: special functions");
  gpu.tensor_flops_bf16 = tensor_rate(findings.rates.bf16_flops_per_clock_per_sm);
  gpu.tensor_flops_fp16 = tensor_rate(findings.rates.fp16_flops_per_clock_per_sm);
  gpu.caches.push_back(l2_by_driver(facts, findings));
  gpu.limits = facts.limits;
  return gpu;
}

CalibratedGpu calibrated_gpu(GpuSpec described, const DriverFacts& facts, const Findings& findings,
                             const std::string& stamp) {
  CalibratedGpu result{.gpu = std::move(described), .refused = {}};
  Writer writer(result, stamp);
  GpuSpec& gpu = result.gpu;
  const auto l2 = std::ranges::find(gpu.caches, "L2", &CacheLevel::name);
  if (l2 == gpu.caches.end()) throw std::logic_error("a description without an L2");
  const std::int64_t sides = l2->instances;
  write_l2(facts, findings, *l2, writer);
  if (!findings.sm_runs.empty() || l2->instances != sides) {
    gpu.sm_runs = findings.sm_runs;
    gpu.sm_runs_rotate = false;  // they are this GPU's
  }
  write_rates(findings.rates, gpu, writer);
  write_cta_rates(findings.cta_rates, gpu, writer);
  return result;
}

}  // namespace hbmscope
