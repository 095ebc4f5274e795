// How two CTAs of an SM share it, and how fast one goes alone: flash2 with timestamps.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <random>
#include <utility>

#include "kernels/device/params.h"
#include "profiler/calibration/device/results.h"
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
constexpr int kKeys = kPieces * kTracedSteps * kTracedTile.bc;

// As much shared memory as makes exactly two CTAs fit on an SM.
unsigned shared_bytes_for_two(const SmLimits& limits) {
  return static_cast<unsigned>((limits.shared_bytes_per_sm / 2 - limits.shared_bytes_reserved) / 1024 * 1024);
}

// Numbers of either sign between 1/2 and 1, in pairs. Not zeros: with what changes from one operand to the
// next the power of the tensor cores changes, and the clock.
void fill_with_bf16(const DeviceArray<std::uint32_t>& pairs, std::size_t count) {
  std::mt19937 random{7};
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values)
    value = (static_cast<std::uint32_t>(random()) & 0x807f807fU) | 0x3f003f00U;
  pairs.assign(values);
}

// A launch of flash2 on one head, again and again.
class TracedLaunch {
 public:
  TracedLaunch(Probe& probe, int head_dim, unsigned shared_bytes)
      : probe_(probe),
        shared_bytes_(shared_bytes),
        shape_{{kTracedTile.br, kTracedTile.bc, head_dim}, kTracedTile.stages},
        kernel_(probe.kernel(cta_trace_build(head_dim), "trace_ctas")),
        ctas_(kCtasPerSm * static_cast<std::size_t>(probe.sms())) {
    kernel_.allow_dynamic_shared_bytes(shared_bytes);
    fill_with_bf16(q_, query_pairs());
    fill_with_bf16(k_, key_pairs());
    fill_with_bf16(v_, key_pairs());
  }

  std::vector<CtaTrace> run() {
    probe_.run(kernel_,
               {.grid_x = static_cast<unsigned>(ctas_),
                .threads = static_cast<unsigned>(shape_.threads()),
                .shared_bytes = shared_bytes_},
               params(), times_ns_.address(), sm_of_cta_.address());
    const std::vector<std::uint64_t> times = times_ns_.values();
    const std::vector<unsigned> sms = sm_of_cta_.values();
    std::vector<CtaTrace> traces;
    for (std::size_t cta = 0; cta < ctas_; ++cta) {
      CtaTrace trace{static_cast<int>(cta), static_cast<int>(sms[cta]), {}};
      for (std::size_t i = 0; i < kEntries; ++i) trace.times_ns.push_back(times[i * ctas_ + cta]);
      traces.push_back(std::move(trace));
    }
    return traces;
  }

 private:
  // Two and a half waves: while a wave begins when another ends, and some CTA is alone at the end.
  static constexpr std::size_t kCtasPerSm = 5;

  std::size_t rows() const { return ctas_ * static_cast<std::size_t>(shape_.br); }
  std::size_t query_pairs() const { return rows() * static_cast<std::size_t>(shape_.head_dim) / 2; }
  std::size_t key_pairs() const { return std::size_t{kKeys} * static_cast<std::size_t>(shape_.head_dim) / 2; }

  AttentionParams params() const {
    const auto pointer = [](CUdeviceptr address) {
      return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): as the driver has it
    };
    AttentionParams params{};
    params.q = pointer(q_.address());
    params.k = pointer(k_.address());
    params.v = pointer(v_.address());
    params.o = pointer(o_.address());
    params.lse = static_cast<float*>(pointer(lse_.address()));
    params.batch = params.heads = params.kv_heads = 1;
    params.seqlen_q = params.lse_columns = static_cast<int>(rows());
    params.seqlen_kv = kKeys;
    params.scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
    return params;
  }

  Probe& probe_;
  unsigned shared_bytes_;
  Flash2MmaShape shape_;
  Kernel kernel_;
  std::size_t ctas_;
  DeviceArray<std::uint32_t> q_{query_pairs()};
  DeviceArray<std::uint32_t> o_{query_pairs()};
  DeviceArray<std::uint32_t> k_{key_pairs()};
  DeviceArray<std::uint32_t> v_{key_pairs()};
  DeviceArray<float> lse_{rows()};
  DeviceArray<std::uint64_t> times_ns_{ctas_ * kEntries};
  DeviceArray<unsigned> sm_of_cta_{ctas_};
};

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
    TracedLaunch launch(calibration.probe, head_dim, shared_bytes);
    launch.run();  // warms up
    for (int run = 1; run <= kRuns; ++run) {
      const std::vector<CtaTrace> traces = launch.run();
      if (run == 1) write_rows(file, head_dim, traces);  // before they are judged
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
