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

namespace hbmscope {
namespace {

constexpr int kRuns = 3;

// What CTAs do. flash2's share one head, which is long enough for timestamps not to matter. Each of flash1's
// has a head of its own, of so many rows that Q and O of all of them outgrow an H200's L2 from d = 64 on:
// that is where their rates decide on bytes.
struct TracedWork {
  int rows_of_cta = 0;
  int keys = 0;
  bool own_heads = false;
};
TracedWork work_of(const TracedKernel& traced) {
  if (traced.algorithm == "flash1") return {1024, 1024, true};
  return {traced.br, 65536, false};
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
      : probe_(probe),
        traced_(traced),
        work_(work_of(traced)),
        kernel_(probe.kernel(cta_trace_build(traced), "trace_ctas")),
        ctas_(ctas) {
    kernel_.allow_dynamic_shared_bytes(static_cast<unsigned>(traced.shared_bytes));
    fill_with_bf16(q_, query_pairs());
    fill_with_bf16(k_, key_pairs());
    fill_with_bf16(v_, key_pairs());
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
    params.o_fp32 = floats(o_fp32_);
    params.lse = params.l = floats(l_);
    params.m = floats(m_);
    params.batch = 1;
    params.heads = params.kv_heads = static_cast<int>(heads());
    params.seqlen_q = static_cast<int>(rows()) / params.heads;
    params.lse_columns = params.statistics_columns = params.seqlen_q;
    params.seqlen_kv = work_.keys;
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
  DeviceArray<float> l_{rows()};
  DeviceArray<float> m_{rows()};
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

// The medians of some runs; absent where an SM holds one CTA at a time.
std::optional<CtaRates> measure_kernel(Probe& probe, const TracedKernel& traced, EvidenceFile& traces_file,
                                       EvidenceFile& rates_file) {
  const auto sms = static_cast<std::size_t>(probe.sms());
  TracedLaunch some_pairs(probe, traced, sms + std::max<std::size_t>(sms / 4, 1));
  TracedLaunch full(probe, traced, 2 * sms * static_cast<std::size_t>(traced.ctas_per_sm));
  some_pairs.run();  // warm up
  full.run();
  std::vector<double> younger;
  std::vector<double> lone;
  for (int run = 1; run <= kRuns; ++run) {
    const std::vector<CtaTrace> paired = some_pairs.run();
    const std::vector<CtaTrace> all = full.run();
    if (run == 1) {  // before they are judged
      write_rows(traces_file, traced, paired);
      write_rows(traces_file, traced, all);
    }
    const std::optional<TracedRates> found = cta_rates_of(paired, all, traced.ctas_per_sm);
    if (!found) return std::nullopt;
    rates_file.row(fmt::format("{},{},{},{:.4f},{:.4f}", name_of(traced), found->ctas_per_sm, run,
                               found->rates.younger, found->rates.lone));
    younger.push_back(found->rates.younger);
    lone.push_back(found->rates.lone);
  }
  return CtaRates{median(younger).value(), median(lone).value()};
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  EvidenceFile traces_file(calibration.evidence, "cta_trace.csv",
                           "kernel,br,head_dim,ctas,cta,sm,begin_ns,end_ns");
  EvidenceFile rates_file(calibration.evidence, "cta_rates.csv",
                          "kernel,br,head_dim,ctas_per_sm,run,younger,lone");
  std::vector<KernelRates> found;
  for (const TracedKernel& traced : traced_kernels()) {
    if (traced.shared_bytes > calibration.facts.limits.shared_bytes_per_cta) continue;
    const std::optional<CtaRates> rates = measure_kernel(calibration.probe, traced, traces_file, rates_file);
    if (rates) found.push_back({traced.kernel, traced.br, traced.head_dim, *rates});
  }
  calibration.findings.cta_rates = found;
}

}  // namespace hbmscope
