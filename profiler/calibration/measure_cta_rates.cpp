// How the CTAs of an SM share it, and how fast one goes alone: attention kernels with timestamps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "kernels/device/params.h"
#include "profiler/calibration/device/results.h"
#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/traced_work.h"
#include "profiler/statistics.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 3;

// So few that all they move lies in the L2.
constexpr std::size_t kCtasInL2 = 16;

// Numbers of either sign between 1/2 and 1, in pairs. Not zeros: with what changes from one operand to the
// next the power of the tensor cores changes, and the clock.
void fill_with_bf16(const DeviceArray<std::uint32_t>& pairs, std::size_t count) {
  constexpr std::size_t kDrawn = 1 << 20;  // and then again and again
  std::mt19937 random{7};
  std::vector<std::uint32_t> values(count);
  for (std::size_t i = 0; i < std::min(count, kDrawn); ++i)
    values[i] = (static_cast<std::uint32_t>(random()) & 0x807f807fU) | 0x3f003f00U;
  for (std::size_t i = kDrawn; i < count; ++i) values[i] = values[i - kDrawn];
  pairs.assign(values);
}

// Launches of equal CTAs, again and again.
class TracedLaunch {
 public:
  TracedLaunch(Probe& probe, const TracedKernel& traced, std::size_t ctas, const TracedWork& work)
      : probe_(probe),
        traced_(traced),
        work_(work),
        kernel_(probe.kernel(cta_trace_build(traced), "trace_ctas")),
        ctas_(ctas) {
    kernel_.allow_dynamic_shared_bytes(static_cast<unsigned>(traced.shared_bytes));
    fill_with_bf16(q_, query_pairs());
    fill_with_bf16(k_, key_pairs());
    fill_with_bf16(v_, key_pairs());
    fill_with_bf16(weights_, weight_pairs());
  }

  std::vector<CtaTrace> run() {
    probe_.run(kernel_,
               {.grid_x = static_cast<unsigned>(ctas_),
                .threads = static_cast<unsigned>(traced_.threads),
                .shared_bytes = static_cast<unsigned>(traced_.shared_bytes)},
               params(), times_.address());
    std::vector<CtaTrace> traces;
    for (const CtaTimes& times : times_.values()) {
      traces.push_back(
          {static_cast<int>(traces.size()), static_cast<int>(times.sm), times.begin_ns, times.end_ns});
    }
    return traces;
  }

 private:
  std::size_t rows() const { return ctas_ * static_cast<std::size_t>(work_.rows_of_cta); }
  std::size_t query_pairs() const { return rows() * static_cast<std::size_t>(traced_.head_dim) / 2; }
  std::size_t heads() const { return work_.own_heads ? ctas_ : 1; }
  std::size_t key_pairs() const {
    return heads() * static_cast<std::size_t>(work_.keys) * static_cast<std::size_t>(traced_.head_dim) / 2;
  }

  // P or S. m and l of standard-online remain zeros, which take it as long.
  std::size_t weight_pairs() const {
    const bool reads = waits_for_tiles(traced_) && !work_.own_heads;
    return reads ? rows() * static_cast<std::size_t>(work_.keys) / 2 : 1;
  }
  std::size_t statistics() const {
    const bool by_tile = traced_.algorithm == "standard_online_pv";
    return rows() * static_cast<std::size_t>(by_tile ? ceil_div(work_.keys, traced_.bc) : 1);
  }

  AttentionParams params() const {
    const auto pointer = [](CUdeviceptr address) {
      return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): as the driver has it
    };
    const auto floats = [&](const DeviceArray<float>& array) {
      return static_cast<float*>(pointer(array.address()));
    };
    AttentionParams params{};
    params.q = pointer(q_.address());
    params.k = pointer(k_.address());
    params.v = pointer(v_.address());
    params.o = pointer(o_.address());
    params.s = params.p = pointer(weights_.address());
    params.o_fp32 = floats(o_fp32_);
    params.lse = params.l = floats(l_);
    params.m = floats(m_);
    params.batch = 1;
    params.heads = params.kv_heads = static_cast<int>(heads());
    params.seqlen_q = static_cast<int>(rows()) / params.heads;
    params.lse_columns = params.statistics_columns = params.seqlen_q;
    params.seqlen_kv = params.s_columns = work_.keys;
    params.scale = 1 / std::sqrt(static_cast<float>(traced_.head_dim));
    return params;
  }

  Probe& probe_;
  TracedKernel traced_;
  TracedWork work_;
  Kernel kernel_;
  std::size_t ctas_;
  DeviceArray<std::uint32_t> q_{query_pairs()};
  DeviceArray<std::uint32_t> o_{query_pairs()};
  DeviceArray<float> o_fp32_{2 * query_pairs()};
  DeviceArray<std::uint32_t> k_{key_pairs()};
  DeviceArray<std::uint32_t> v_{key_pairs()};
  DeviceArray<std::uint32_t> weights_{weight_pairs()};
  DeviceArray<float> l_{statistics()};
  DeviceArray<float> m_{statistics()};
  DeviceArray<CtaTimes> times_{ctas_};
};

std::string name_of(const TracedKernel& traced) {
  return fmt::format("{},{},{}", traced.kernel, traced.br, traced.head_dim);
}

void write_rows(EvidenceFile& file, const TracedKernel& traced, const std::vector<CtaTrace>& traces) {
  std::uint64_t start = traces.front().begin_ns;
  for (const CtaTrace& trace : traces) start = std::min(start, trace.begin_ns);
  for (const CtaTrace& trace : traces) {
    file.row(fmt::format("{},{},{},{},{},{}", name_of(traced), traces.size(), trace.cta, trace.sm,
                         trace.begin_ns - start, trace.end_ns - start));
  }
}

double row_keys(const TracedWork& work) {
  return static_cast<double>(work.rows_of_cta) * static_cast<double>(work.keys);
}

// Median of some runs of a launch with no more CTAs than SMs.
double alone_ns(TracedLaunch& launch, const TracedWork& work) {
  launch.run();  // warm up
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) runs.push_back(lone_ns(launch.run()) / row_keys(work));
  return median(runs).value();
}

// CTAs of flash1 wait for each tile of Q and O, those of the last launches of standard for each of P or S:
// one that has the SM to itself is timed with them in the L2 and in DRAM, with half of the SMs at work.
CtaRates rates_of_waiting(Probe& probe, const TracedKernel& traced, Bytes l2_bytes, const CtaRates& of_pairs,
                          double older_ns, EvidenceFile& lone_file) {
  const auto half = std::max<std::size_t>(static_cast<std::size_t>(probe.sms()) / 2, 1);
  const TracedWork near = work_in_l2(traced, l2_bytes, kCtasInL2);
  const TracedWork far = work_beyond_l2(traced, l2_bytes, half);
  TracedLaunch in_l2(probe, traced, kCtasInL2, near);
  TracedLaunch in_hbm(probe, traced, half, far);
  RowKeyTimes times{
      .older_of_two = older_ns, .alone = alone_ns(in_l2, near), .alone_hbm = alone_ns(in_hbm, far)};
  // Lone CTAs of flash1 beside the pairs waited for DRAM; standard's did not, and began and ended as pairs
  // do.
  if (!near.own_heads) times.older_of_two = of_pairs.lone * times.alone;
  lone_file.row(fmt::format("{},{:.6f},{:.6f},{:.6f}", name_of(traced), times.older_of_two, times.alone,
                            times.alone_hbm));
  return waiting_rates(of_pairs, times, share_from_hbm(traced));
}

// The medians of some runs; absent where an SM holds one CTA at a time.
std::optional<KernelRates> measure_kernel(Probe& probe, const TracedKernel& traced, Bytes l2_bytes,
                                          EvidenceFile& traces_file, EvidenceFile& rates_file,
                                          EvidenceFile& lone_file) {
  const auto sms = static_cast<std::size_t>(probe.sms());
  const std::size_t pairs = sms + std::max<std::size_t>(sms / 4, 1);
  const TracedWork of_pairs = work_of_pairs(traced, l2_bytes, pairs);
  TracedLaunch some_pairs(probe, traced, pairs, of_pairs);
  TracedLaunch full(probe, traced, 2 * sms * static_cast<std::size_t>(traced.ctas_per_sm),
                    work_of_waves(traced));
  full.run();  // warm up
  int ctas_per_sm = 0;
  std::vector<double> younger;
  std::vector<double> further;
  std::vector<double> lone;
  std::vector<double> older_ns;
  std::vector<double> deviations;
  for (int run = 1; run <= kRuns; ++run) {
    some_pairs.run();  // the L2 takes what it can keep
    const std::vector<CtaTrace> paired = some_pairs.run();
    const std::vector<CtaTrace> all = full.run();
    if (run == 1) {  // before they are judged
      write_rows(traces_file, traced, paired);
      write_rows(traces_file, traced, all);
    }
    const std::optional<TracedRates> found = cta_rates_of(paired, all, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    rates_file.row(fmt::format("{},{},{},{:.4f},{:.4f},{:.4f},{:.5f}", name_of(traced), found->ctas_per_sm,
                               run, found->rates.younger, found->rates.further, found->rates.lone,
                               found->deviation));
    ctas_per_sm = std::min(found->ctas_per_sm, traced.ctas_per_sm);
    younger.push_back(found->rates.younger);
    further.push_back(found->rates.further);
    lone.push_back(found->rates.lone);
    older_ns.push_back(older_of_two_ns(paired) / row_keys(of_pairs));
    deviations.push_back(found->deviation);
  }
  CtaRates rates{
      .younger = median(younger).value(), .further = median(further).value(), .lone = median(lone).value()};
  if (waits_for_tiles(traced))
    rates = rates_of_waiting(probe, traced, l2_bytes, rates, median(older_ns).value(), lone_file);
  return KernelRates{traced.kernel, traced.br, traced.head_dim,
                     ctas_per_sm,   rates,     median(deviations).value()};
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  EvidenceFile traces_file(calibration.evidence, "cta_trace.csv",
                           "kernel,br,head_dim,ctas,cta,sm,begin_ns,end_ns");
  EvidenceFile rates_file(calibration.evidence, "cta_rates.csv",
                          "kernel,br,head_dim,ctas_per_sm,run,younger,further,lone,deviation");
  EvidenceFile lone_file(calibration.evidence, "lone_ctas.csv",
                         "kernel,br,head_dim,older_of_two_ns,alone_ns,alone_hbm_ns");
  std::vector<KernelRates> found;
  for (const TracedKernel& traced : traced_kernels()) {
    if (traced.shared_bytes > calibration.facts.limits.shared_bytes_per_cta) continue;
    const std::optional<KernelRates> rates = measure_kernel(
        calibration.probe, traced, calibration.facts.l2_bytes, traces_file, rates_file, lone_file);
    if (rates) found.push_back(*rates);
  }
  calibration.findings.cta_rates = found;
}

}  // namespace hbmscope
