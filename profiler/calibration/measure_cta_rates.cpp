// How two CTAs of an SM share it, and how fast one goes alone: flash2's loop with timestamps.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/statistics.h"
#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 3;
constexpr int kPieces = 32;
constexpr std::size_t kEntries = kPieces + 1;
constexpr Bytes kTensorBytes = 4 * kMiB;  // of K, and of V: what all SMs read stays in the L2

// As much shared memory as makes exactly two CTAs fit on an SM.
unsigned shared_bytes_for_two(const SmLimits& limits) {
  return static_cast<unsigned>((limits.shared_bytes_per_sm / 2 - limits.shared_bytes_reserved) / 1024 * 1024);
}

std::vector<CtaTrace> trace(Probe& probe, int head_dim, unsigned shared_bytes) {
  const Flash2MmaShape shape{{128, 64, head_dim}, 1};
  const auto ctas = 2 * static_cast<std::size_t>(probe.sms());
  const auto threads = static_cast<unsigned>(shape.threads());
  const DeviceArray<std::uint64_t> times_ns(ctas * kEntries);
  const DeviceArray<unsigned> sm_of_cta(ctas);
  const DeviceArray<float> sums(ctas * threads);
  const Kernel kernel = probe.kernel(cta_trace_build(head_dim), "trace_ctas");
  kernel.allow_dynamic_shared_bytes(shared_bytes);
  const CUdeviceptr k = probe.lines(512, 0).first;
  const int tiles = static_cast<int>(kTensorBytes) / shape.key_bytes();
  probe.run(kernel, {.grid_x = static_cast<unsigned>(ctas), .threads = threads, .shared_bytes = shared_bytes},
            k, k, k + kTensorBytes, tiles, kPieces, times_ns.address(), sm_of_cta.address(), sums.address());
  const std::vector<std::uint64_t> times = times_ns.values();
  const std::vector<unsigned> sms = sm_of_cta.values();
  std::vector<CtaTrace> traces;
  for (std::size_t cta = 0; cta < ctas; ++cta) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(cta * kEntries);
    traces.push_back({static_cast<int>(cta),
                      static_cast<int>(sms[cta]),
                      {begin, begin + static_cast<std::ptrdiff_t>(kEntries)}});
  }
  return traces;
}

void write_rows(EvidenceFile& file, int head_dim, const std::vector<CtaTrace>& traces) {
  const std::uint64_t start = traces.front().times_ns.front();
  for (const CtaTrace& trace : traces) {
    std::vector<std::int64_t> since;
    for (const std::uint64_t time : trace.times_ns) since.push_back(static_cast<std::int64_t>(time - start));
    file.row(fmt::format("{},{},{},{}", head_dim, trace.cta, trace.sm, fmt::join(since, " ")));
  }
}

}  // namespace

void measure_cta_rates(Calibration& calibration) {
  EvidenceFile file(calibration.evidence, "cta_trace.csv", "head_dim,cta,sm,ns_at_every_32nd_step");
  EvidenceFile rates_file(calibration.evidence, "cta_rates.csv", "head_dim,run,younger,lone,sms");
  std::vector<CtaRates> found;
  const unsigned shared_bytes = shared_bytes_for_two(calibration.facts.limits);
  for (const int head_dim : kTracedHeadDims) {
    std::vector<double> younger;
    std::vector<double> lone;
    int sms = 0;
    for (int run = 0; run <= kRuns; ++run) {  // the first warms up
      const std::vector<CtaTrace> traces = trace(calibration.probe, head_dim, shared_bytes);
      if (run == kRuns) write_rows(file, head_dim, traces);
      if (run == 0) continue;
      const CtaRates rates = cta_rates_of(traces);
      rates_file.row(
          fmt::format("{},{},{:.4f},{:.4f},{}", head_dim, run, rates.younger, rates.lone, rates.sms));
      younger.push_back(rates.younger);
      lone.push_back(rates.lone);
      sms = rates.sms;
    }
    found.push_back({median(younger).value(), median(lone).value(), sms});
  }
  calibration.findings.cta_rates = found;
}

}  // namespace hbmscope
