// How the CTAs of an SM share it, and how fast one goes alone: attention kernels with timestamps.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/lone_ctas.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/traced_launch.h"
#include "profiler/calibration/traced_work.h"
#include "profiler/statistics.h"
#include "sim/record.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 3;

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

// Of a tile's first build: what those of all would take is much, and says the same.
void write_traces(Files& files, const TracedKernel& traced, std::string_view launch,
                  const std::vector<CtaTrace>& traces) {
  const bool first = traced.bc == kMeasuredBc && traced.mask == Mask::full &&
                     traced.order == Order::q_fastest && traced.kv_walk == Walk::up;
  if (!first) return;
  std::uint64_t start = traces.front().begin_ns;
  for (const CtaTrace& trace : traces) start = std::min(start, trace.begin_ns);
  for (const CtaTrace& trace : traces) {
    files.traces.row(fmt::format("{},{},{},{},{},{}", name_of(traced), launch, trace.cta, trace.sm,
                                 trace.begin_ns - start, trace.end_ns - start));
  }
}

void write_rates(Files& files, const TracedKernel& traced, int run, const TracedRates& found) {
  const CtaRates& rates = found.rates;
  // Stalls of kernels that wait for each tile are not of these runs.
  const std::string stalls =
      waits_for_tiles(traced) ? "," : fmt::format("{:.4f},{:.4f}", rates.stall, rates.shared_stall);
  files.rates.row(fmt::format("{},{},{},{:.4f},{:.4f},{:.4f},{},{:.5f}", build_of(traced), found.ctas_per_sm,
                              run, rates.younger, rates.further, rates.lone, stalls, found.deviation));
}

// Medians of some runs.
class RunRates {
 public:
  void add(const TracedRates& run) {
    ctas_per_sm_ = run.ctas_per_sm;
    younger_.push_back(run.rates.younger);
    further_.push_back(run.rates.further);
    lone_.push_back(run.rates.lone);
    stall_.push_back(run.rates.stall);
    shared_stall_.push_back(run.rates.shared_stall);
    deviation_.push_back(run.deviation);
  }
  CtaRates rates() const {
    return {.younger = median(younger_).value(),
            .further = median(further_).value(),
            .lone = median(lone_).value(),
            .stall = median(stall_).value(),
            .shared_stall = median(shared_stall_).value(),
            .ctas_per_sm = ctas_per_sm_};
  }
  double deviation() const { return median(deviation_).value(); }

 private:
  int ctas_per_sm_ = 0;
  std::vector<double> younger_;
  std::vector<double> further_;
  std::vector<double> lone_;
  std::vector<double> stall_;
  std::vector<double> shared_stall_;
  std::vector<double> deviation_;
};

KernelRates rates_of_build(const TracedKernel& traced, const CtaRates& rates, double deviation) {
  KernelRates found{traced.kernel, traced.br, traced.head_dim, {}, deviation};
  if (!waits_for_tiles(traced)) {
    found.build.mask = traced.mask;
    found.build.order = traced.order;
    found.build.kv_walk = traced.kv_walk;
    found.build.bc = traced.bc;
  }
  found.build.rates = rates;
  return found;
}

// flash2: CTAs that fill the GPU and some that are alone, with K and V in the L2 and in DRAM. Absent where an
// SM holds one CTA at a time.
std::optional<KernelRates> measure_sharing(const Bench& bench, const TracedKernel& traced) {
  const TracedWork near = work_of_waves(traced, bench.l2_bytes);
  const TracedWork far = work_from_hbm(traced, bench.l2_bytes);
  const auto whole_heads = [&](std::size_t ctas) {
    return std::max<std::size_t>(ctas / far.ctas_of_kv_head, 1) * far.ctas_of_kv_head;
  };
  const std::size_t waves = whole_heads(2 * bench.sms() * static_cast<std::size_t>(traced.ctas_per_sm));
  const std::size_t alone = whole_heads(bench.sms());
  TracedLaunch full = bench.launch(traced, waves, near);
  TracedLaunch full_long = bench.launch(traced, waves, long_work(traced));
  TracedLaunch full_hbm = bench.launch(traced, waves, far);
  TracedLaunch in_l2 = bench.launch(traced, kCtasInL2, near);
  TracedLaunch in_hbm = bench.launch(traced, alone, far);
  in_hbm.run();  // warm up
  RunRates runs;
  for (int run = 1; run <= kRuns; ++run) {
    SharingTraces traces{.full_long = full_long.run(), .full_hbm = full_hbm.run(), .alone_hbm = in_hbm.run()};
    in_l2.run();  // the L2 takes K and V
    traces.alone = in_l2.run();
    traces.full = full.run();
    if (run == 1) {  // before they are judged
      write_traces(bench.files, traced, "full", traces.full);
      write_traces(bench.files, traced, "full_long", traces.full_long);
      write_traces(bench.files, traced, "full_hbm", traces.full_hbm);
      write_traces(bench.files, traced, "alone", traces.alone);
      write_traces(bench.files, traced, "alone_hbm", traces.alone_hbm);
    }
    const std::optional<TracedRates> found = sharing_rates(traces, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    write_rates(bench.files, traced, run, *found);
    runs.add(*found);
  }
  return rates_of_build(traced, runs.rates(), runs.deviation());
}

CtaRates rates_of_waiting(const Bench& bench, const TracedKernel& traced, const CtaRates& of_pairs,
                          double older_ns) {
  const RowKeyTimes times = reads_weights(traced) ? times_of_standard(bench, traced, of_pairs.lone)
                                                  : times_of_flash1(bench, traced, older_ns);
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
  RunRates runs;
  std::vector<double> older_ns;
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
    runs.add(*found);
    older_ns.push_back(older_of_two_ns(paired) / row_keys(of_pairs));
  }
  CtaRates rates = rates_of_waiting(bench, traced, runs.rates(), median(older_ns).value());
  rates.ctas_per_sm = 2;  // with which one that is alone was compared
  return rates_of_build(traced, rates, runs.deviation());
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  Files files{
      {calibration.evidence, "cta_trace.csv", "kernel,br,head_dim,launch,cta,sm,begin_ns,end_ns"},
      {calibration.evidence, "cta_rates.csv",
       "kernel,br,head_dim,bc,mask,order,kv_walk,ctas_per_sm,run,younger,further,lone,stall,shared_stall,"
       "deviation"},
      {calibration.evidence, "lone_ctas.csv",
       "kernel,br,head_dim,older_of_two_ns,alone_ns,alone_hbm_ns,alone_hbm_quiet_ns"}};
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
