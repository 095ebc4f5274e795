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
#include "profiler/statistics.h"
#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 3;

// What CTAs do. Each of flash1's has a head of its own; others share one, which is long enough for timestamps
// not to matter.
struct TracedWork {
  int rows_of_cta = 0;
  int keys = 0;
  bool own_heads = false;
};
TracedWork work_of(const TracedKernel& traced) {
  if (traced.algorithm == "flash1") return {1024, 1024, true};
  return {traced.br, traced.algorithm == "flash2" ? 65536 : 2048, false};
}

// So few CTAs that all they move lies in the L2 at every head dim: flash1's Q and O, the others' P or S.
constexpr std::size_t kCtasInL2 = 16;
TracedWork work_in_l2(const TracedKernel& traced) {
  if (traced.algorithm == "flash1") return {512, 1024, true};
  return {traced.br, 4096, false};
}

// flash1's bytes of Q and of O in fp32 for each row and element of the head dim; O is stored again.
constexpr int kBytesLoaded = 2 + 4;
constexpr int kBytesStored = 4;

// So many rows, or keys, that all of it comes from DRAM: again for every K/V tile of flash1's, in every
// launch of the others.
TracedWork work_beyond(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas) {
  const Bytes bytes = 2 * l2_bytes / static_cast<Bytes>(ctas);  // of a CTA
  if (traced.algorithm == "flash1") {
    const Bytes rows = bytes / (static_cast<Bytes>(traced.head_dim) * kBytesLoaded);
    return {static_cast<int>(rows / 128 + 1) * 128, 512, true};
  }
  const Bytes keys = bytes / (static_cast<Bytes>(traced.br) * kMmaElementBytes);
  return {traced.br, static_cast<int>(keys / 128 + 1) * 128, false};
}

// Of the bytes that a CTA then moves, those from DRAM.
double share_from_hbm(const TracedKernel& traced) {
  if (traced.algorithm == "flash1") return static_cast<double>(kBytesLoaded) / (kBytesLoaded + kBytesStored);
  return static_cast<double>(traced.br) / (traced.br + traced.head_dim);  // P or S; V is everybody's
}

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
  TracedLaunch(Probe& probe, const TracedKernel& traced, std::size_t ctas)
      : TracedLaunch(probe, traced, ctas, work_of(traced)) {}

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
    const bool reads = traced_.algorithm != "flash1" && traced_.algorithm != "flash2";
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
CtaRates rates_of_waiting(Probe& probe, const TracedKernel& traced, Bytes l2_bytes, double younger,
                          double older_ns, EvidenceFile& lone_file) {
  const auto half = std::max<std::size_t>(static_cast<std::size_t>(probe.sms()) / 2, 1);
  const TracedWork near = work_in_l2(traced);
  const TracedWork far = work_beyond(traced, l2_bytes, half);
  TracedLaunch in_l2(probe, traced, kCtasInL2, near);
  TracedLaunch in_hbm(probe, traced, half, far);
  const RowKeyTimes times{.older_of_two = older_ns / row_keys(work_of(traced)),
                          .alone = alone_ns(in_l2, near),
                          .alone_hbm = alone_ns(in_hbm, far)};
  lone_file.row(fmt::format("{},{:.6f},{:.6f},{:.6f}", name_of(traced), times.older_of_two, times.alone,
                            times.alone_hbm));
  return waiting_rates(younger, times, share_from_hbm(traced));
}

// The medians of some runs; absent where an SM holds one CTA at a time.
std::optional<KernelRates> measure_kernel(Probe& probe, const TracedKernel& traced, Bytes l2_bytes,
                                          EvidenceFile& traces_file, EvidenceFile& rates_file,
                                          EvidenceFile& lone_file) {
  const auto sms = static_cast<std::size_t>(probe.sms());
  TracedLaunch some_pairs(probe, traced, sms + std::max<std::size_t>(sms / 4, 1));
  TracedLaunch full(probe, traced, 2 * sms * static_cast<std::size_t>(traced.ctas_per_sm));
  some_pairs.run();  // warm up
  full.run();
  std::vector<double> younger;
  std::vector<double> lone;
  std::vector<double> older_ns;
  std::vector<double> deviations;
  for (int run = 1; run <= kRuns; ++run) {
    const std::vector<CtaTrace> paired = some_pairs.run();
    const std::vector<CtaTrace> all = full.run();
    if (run == 1) {  // before they are judged
      write_rows(traces_file, traced, paired);
      write_rows(traces_file, traced, all);
    }
    const std::optional<TracedRates> found = cta_rates_of(paired, all, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    rates_file.row(fmt::format("{},{},{},{:.4f},{:.4f},{:.5f}", name_of(traced), found->ctas_per_sm, run,
                               found->rates.younger, found->rates.lone, found->deviation));
    younger.push_back(found->rates.younger);
    lone.push_back(found->rates.lone);
    older_ns.push_back(older_of_two_ns(paired));
    deviations.push_back(found->deviation);
  }
  CtaRates rates{.younger = median(younger).value(), .lone = median(lone).value()};
  if (traced.algorithm != "flash2")  // which asks for tiles early
    rates = rates_of_waiting(probe, traced, l2_bytes, rates.younger, median(older_ns).value(), lone_file);
  return KernelRates{traced.kernel, traced.br, traced.head_dim, rates, median(deviations).value()};
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  EvidenceFile traces_file(calibration.evidence, "cta_trace.csv",
                           "kernel,br,head_dim,ctas,cta,sm,begin_ns,end_ns");
  EvidenceFile rates_file(calibration.evidence, "cta_rates.csv",
                          "kernel,br,head_dim,ctas_per_sm,run,younger,lone,deviation");
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
