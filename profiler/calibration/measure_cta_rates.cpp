// How the CTAs of an SM share it, and how fast one goes alone: attention kernels with timestamps.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/lone_ctas.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/sharing_ctas.h"
#include "profiler/calibration/traced_launch.h"
#include "profiler/calibration/traced_work.h"
#include "profiler/statistics.h"
#include "sim/record.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 5;

struct Files {
  EvidenceFile traces;
  EvidenceFile rates;
  EvidenceFile lone;
};

struct Bench : TracedBench {
  Files& files;
};

std::string name_of(const TracedKernel& traced) {
  return fmt::format("{},{},{}", traced.kernel, traced.br, traced.head_dim);
}

std::string build_of(const TracedKernel& traced) {
  return fmt::format("{},{},{},{},{}", name_of(traced), traced.bc, to_string(traced.mask),
                     to_string(traced.order), to_string(traced.kv_walk));
}

bool is_first_build(const TracedKernel& traced) {
  return traced.bc == kMeasuredBc && traced.mask == Mask::full && traced.order == Order::q_fastest &&
         traced.kv_walk == Walk::up;
}

// Of a tile's first build: what those of all would take is much, and says the same.
void write_traces(Files& files, const TracedKernel& traced, std::string_view launch,
                  const std::vector<CtaTrace>& traces) {
  if (!is_first_build(traced)) return;
  std::uint64_t start = traces.front().begin_ns;
  for (const CtaTrace& trace : traces) start = std::min(start, trace.begin_ns);
  for (const CtaTrace& trace : traces) {
    files.traces.row(fmt::format("{},{},{},{},{},{},{}", name_of(traced), launch, trace.cta, trace.sm,
                                 trace.begin_ns - start, trace.end_ns - start, trace.cycles));
  }
}

void write_rates(Files& files, const TracedKernel& traced, int run, const TracedRates& found) {
  const CtaRates& rates = found.rates;
  // Stalls of kernels that wait for each tile are not of these runs, nor are the times of their tiles.
  std::string stalls = ",,,,,,";
  if (!waits_for_tiles(traced)) {
    const SmDeviations& deviations = found.deviations;
    stalls =
        fmt::format("{:.4f},{:.5f},{:.4f},{:.5f},{:.6f}", rates.stall, fmt::join(rates.shared_stall, ","),
                    deviations.step, deviations.lone_sm, deviations.gpc_clock);
  }
  files.rates.row(fmt::format("{},{},{},{:.4f},{:.4f},{:.4f},{}", build_of(traced), found.ctas_per_sm, run,
                              rates.younger, rates.further, rates.lone, stalls));
}

double median_of(const std::vector<TracedRates>& runs, double (*value)(const TracedRates& run)) {
  std::vector<double> values;
  for (const TracedRates& run : runs) values.push_back(value(run));
  return median(values).value();
}

TracedRates median_of(const std::vector<TracedRates>& runs) {
  TracedRates all{.ctas_per_sm = runs.back().ctas_per_sm};
  CtaRates& rates = all.rates;
  rates.younger = median_of(runs, [](const TracedRates& run) { return run.rates.younger; });
  rates.further = median_of(runs, [](const TracedRates& run) { return run.rates.further; });
  rates.lone = median_of(runs, [](const TracedRates& run) { return run.rates.lone; });
  rates.stall = median_of(runs, [](const TracedRates& run) { return run.rates.stall; });
  rates.shared_stall = {median_of(runs, [](const TracedRates& run) { return run.rates.shared_stall[0]; }),
                        median_of(runs, [](const TracedRates& run) { return run.rates.shared_stall[1]; }),
                        median_of(runs, [](const TracedRates& run) { return run.rates.shared_stall[2]; })};
  rates.ctas_per_sm = all.ctas_per_sm;
  all.deviations = {
      .step = median_of(runs, [](const TracedRates& run) { return run.deviations.step; }),
      .lone_sm = median_of(runs, [](const TracedRates& run) { return run.deviations.lone_sm; }),
      .gpc_clock = median_of(runs, [](const TracedRates& run) { return run.deviations.gpc_clock; })};
  return all;
}

KernelRates rates_of_build(const TracedKernel& traced, const TracedRates& rates) {
  KernelRates found{traced.kernel, traced.br, traced.head_dim, {}, rates.deviations};
  if (!waits_for_tiles(traced)) {
    found.build.mask = traced.mask;
    found.build.order = traced.order;
    found.build.kv_walk = traced.kv_walk;
    found.build.bc = traced.bc;
  }
  found.build.rates = rates.rates;
  return found;
}

// flash2. Absent where an SM holds one CTA at a time.
std::optional<KernelRates> measure_sharing(const Bench& bench, const TracedKernel& traced) {
  SharingLaunches launches(bench, traced);
  std::vector<TracedRates> runs;
  for (int run = 1; run <= kRuns; ++run) {
    const SharingTraces traces = launches.run();
    if (run == 1) {  // before they are judged
      write_traces(bench.files, traced, "full", traces.full);
      write_traces(bench.files, traced, "full_long", traces.full_long);
      for (std::size_t share = 0; share < kStallShares.size(); ++share) {
        write_traces(bench.files, traced, fmt::format("full_hbm_{}", kStallShares[share]),
                     traces.full_hbm[share]);
      }
      write_traces(bench.files, traced, "alone", traces.alone);
      write_traces(bench.files, traced, "alone_hbm", traces.alone_hbm);
    }
    const std::optional<TracedRates> found = sharing_rates(traces, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    write_rates(bench.files, traced, run, *found);
    runs.push_back(*found);
  }
  return rates_of_build(traced, median_of(runs));
}

CtaRates rates_of_waiting(const Bench& bench, const TracedKernel& traced, const CtaRates& of_pairs,
                          double older_cycles) {
  const RowKeyTimes times = reads_weights(traced) ? times_of_standard(bench, traced, of_pairs.lone)
                                                  : times_of_flash1(bench, traced, older_cycles);
  const std::string quiet = times.alone_hbm_quiet ? fmt::format("{:.6f}", *times.alone_hbm_quiet) : "";
  bench.files.lone.row(fmt::format("{},{:.6f},{:.6f},{:.6f},{}", name_of(traced), times.older_of_two,
                                   times.alone, times.alone_hbm, quiet));
  return waiting_rates(of_pairs, times, share_from_hbm(traced));
}

// All other kernels. Absent where an SM holds one CTA at a time.
std::optional<KernelRates> measure_waiting(const Bench& bench, const TracedKernel& traced) {
  const std::size_t pairs = bench.sms() + std::max<std::size_t>(bench.sms() / 4, 1);
  const TracedWork of_pairs = work_of_pairs(traced, bench.l2_bytes, pairs);
  TracedLaunch some_pairs = bench.launch(traced, pairs, of_pairs);
  TracedLaunch full = bench.launch(traced, 2 * bench.sms() * static_cast<std::size_t>(traced.ctas_per_sm),
                                   work_of_waves(traced, bench.l2_bytes));
  full.run();  // warm up
  std::vector<TracedRates> runs;
  std::vector<double> older_cycles;
  for (int run = 1; run <= kRuns; ++run) {
    some_pairs.run();  // the L2 takes what it can keep
    const std::vector<CtaTrace> paired = some_pairs.run();
    const std::vector<CtaTrace> all = full.run();
    if (run == 1) {
      write_traces(bench.files, traced, "pairs", paired);
      write_traces(bench.files, traced, "full", all);
    }
    const std::optional<TracedRates> found = cta_rates_of(paired, all, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    write_rates(bench.files, traced, run, *found);
    runs.push_back(*found);
    older_cycles.push_back(older_of_two_cycles(paired) / row_keys(of_pairs));
  }
  TracedRates all = median_of(runs);
  all.rates = rates_of_waiting(bench, traced, all.rates, median(older_cycles).value());
  all.rates.ctas_per_sm = 2;  // with which one that is alone was compared
  return rates_of_build(traced, all);
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  Files files{
      {calibration.evidence, "cta_trace.csv", "kernel,br,head_dim,launch,cta,sm,begin_ns,end_ns,cycles"},
      {calibration.evidence, "cta_rates.csv",
       fmt::format("kernel,br,head_dim,bc,mask,order,kv_walk,ctas_per_sm,run,younger,further,lone,stall,"
                   "shared_stall_{},step_deviation,lone_sm_deviation,gpc_clock_deviation",
                   fmt::join(kStallShares, ",shared_stall_"))},
      {calibration.evidence, "lone_ctas.csv",
       "kernel,br,head_dim,older_of_two_cycles,alone_cycles,alone_hbm_cycles,alone_hbm_quiet_cycles"}};
  RandomPairs inputs;
  const Bench bench{{calibration.probe, inputs, calibration.facts.l2_bytes}, files};
  std::vector<KernelRates> found;
  for (const TracedKernel& traced : traced_kernels()) {
    if (traced.shared_bytes > calibration.facts.limits.shared_bytes_per_cta) continue;
    const std::optional<KernelRates> rates =
        waits_for_tiles(traced) ? measure_waiting(bench, traced) : measure_sharing(bench, traced);
    if (rates) found.push_back(*rates);
  }
  calibration.findings.cta_rates = found;
}

}  // namespace hbmscope
