// What the levels of the memory hierarchy and the pipes of an SM can do: medians of several runs.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/gpu_state.h"
#include "profiler/statistics.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 7;
constexpr Bytes kPieceBytes = 16;
constexpr unsigned kThreads = 1024;

class Rates {
 public:
  explicit Rates(Calibration& calibration)
      : calibration_(calibration),
        probe_(calibration.probe),
        state_(probe_.device()),
        file_(calibration.evidence, "rates.csv", "what,unit,median,least,most,sm_clock_mhz") {}

  unsigned sms() const { return static_cast<unsigned>(probe_.sms()); }
  Kernel kernel(const char* entry) { return probe_.kernel(calibration_build("rates"), entry); }

  // Units per second of work that is submitted by `work`, timed by events; once more before, to warm up.
  double per_second(const char* what, double units, const std::function<void()>& work) {
    std::vector<double> rates;
    for (int run = 0; run <= kRuns; ++run) {
      const double seconds = seconds_of(work);
      if (run > 0) rates.push_back(units / seconds);
    }
    return note(what, "per s", rates);
  }

  // Units per clock of an SM in each CTA of a kernel(rounds, cycles), one to an SM: the median CTA's.
  double per_clock(const char* what, double units, const char* entry, unsigned threads, int rounds) {
    const DeviceArray<std::uint64_t> cycles(sms());
    std::vector<double> rates;
    for (int run = 0; run <= kRuns; ++run) {
      probe_.run(kernel(entry), {.grid_x = sms(), .threads = threads}, rounds, cycles.address());
      std::vector<double> of_ctas;
      for (const std::uint64_t each : cycles.values())
        if (each > 0) of_ctas.push_back(units / static_cast<double>(each));
      if (run > 0) rates.push_back(median(of_ctas).value_or(0));
    }
    return note(what, "per clock and SM", rates);
  }

  double note(const char* what, const char* unit, const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double middle = median(values).value_or(0);
    const GpuClocks clocks = state_.clocks();
    file_.row(fmt::format("{},{},{:.6g},{:.6g},{:.6g},{}", what, unit, middle, *least, *most,
                          clocks.sm_mhz ? std::to_string(*clocks.sm_mhz) : ""));
    return middle;
  }

  double seconds_of(const std::function<void()>& work) {
    Event begin;
    Event end;
    begin.record();
    work();
    end.record();
    return end.seconds_since(begin);
  }

  void measure_hbm(FoundRates& found);
  void measure_l2(FoundRates& found);
  void measure_pipes(FoundRates& found);
  void measure_launches(FoundRates& found);

 private:
  Calibration& calibration_;
  Probe& probe_;
  GpuState state_;
  EvidenceFile file_;
};

void Rates::measure_hbm(FoundRates& found) {
  const LaunchShape all{.grid_x = 2 * sms(), .threads = kThreads};
  constexpr Bytes kBytes = 2 * kGiB;
  const CUdeviceptr memory = probe_.lines(0, 0).first;
  const Kernel read = kernel("stream_read");
  found.hbm_read_bytes_per_s = per_second("HBM read", static_cast<double>(kBytes), [&] {
    Probe::submit(read, all, memory, std::uint64_t{kBytes / kPieceBytes});
  });
  const Kernel copy = kernel("stream_copy");
  found.hbm_copy_bytes_per_s = per_second("HBM copy", static_cast<double>(kBytes), [&] {
    Probe::submit(copy, all, memory + kBytes / 2, memory, std::uint64_t{kBytes / 2 / kPieceBytes});
  });
}

// A part of the L2 that it can keep as often as it keeps what all SMs read.
void Rates::measure_l2(FoundRates& found) {
  constexpr int kRounds = 8;
  constexpr Bytes kTurnBytes = Bytes{4} * kThreads * kPieceBytes;
  const Bytes bytes = std::min<Bytes>(16 * kMiB, calibration_.facts.l2_bytes / 4 / kTurnBytes * kTurnBytes);
  const CUdeviceptr memory = probe_.lines(512, 0).first;
  const Kernel read = kernel("read_l2");
  const double all_bytes = static_cast<double>(bytes) * kRounds * 2 * sms();
  found.l2_bytes_per_s = per_second("L2 read", all_bytes, [&] {
    Probe::submit(read, {.grid_x = 2 * sms(), .threads = kThreads}, memory,
                  std::uint64_t{bytes / kPieceBytes}, kRounds);
  });
}

void Rates::measure_pipes(FoundRates& found) {
  constexpr int kRounds = 2048;
  found.sram_bytes_per_clock_per_sm =
      per_clock("shared memory read", 8.0 * 16 * kThreads * kRounds, "read_shared", kThreads, kRounds);
  const double flops = 2.0 * 16 * 8 * 16 * 8 * 16 * kRounds;  // of a product, accumulators, warps
  found.bf16_flops_per_clock_per_sm = per_clock("bf16 FLOP", flops, "multiply_bf16", 512, kRounds);
  found.fp16_flops_per_clock_per_sm = per_clock("fp16 FLOP", flops, "multiply_fp16", 512, kRounds);
  found.exp_per_clock_per_sm =
      per_clock("exponentials", 8.0 * kThreads * kRounds, "exponentiate", kThreads, kRounds);
}

void Rates::measure_launches(FoundRates& found) {
  constexpr int kLaunches = 256;
  const Kernel nothing = probe_.kernel(calibration_build("sm_order"), "do_nothing");
  std::vector<double> launch_ns;
  for (int run = 0; run < kRuns; ++run) {
    const double seconds = seconds_of([&] {
      for (int i = 0; i < kLaunches; ++i) nothing.launch({.grid_x = sms(), .threads = 128}, nullptr);
    });
    launch_ns.push_back(seconds * 1e9 / kLaunches);
  }
  found.launch_ns = note("launch", "ns", launch_ns);

  const Kernel find_sm = probe_.kernel(calibration_build("sm_order"), "find_sm");
  const DeviceArray<unsigned> sm_of_cta(sms());
  const DeviceArray<std::uint64_t> start_ns(sms());
  std::vector<double> skew_ns;
  for (int run = 0; run < kRuns; ++run) {
    probe_.run(find_sm, {.grid_x = sms(), .threads = 128}, sm_of_cta.address(), start_ns.address());
    const std::vector<std::uint64_t> starts = start_ns.values();
    const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
    skew_ns.push_back(static_cast<double>(*last - *first));
  }
  // A timer that ticks too seldom to tell says 0.
  const double skew = note("start skew", "ns", skew_ns);
  if (skew > 0) found.cta_start_skew_ns = skew;
}

}  // namespace

void measure_rates(Calibration& calibration) {
  FoundRates& found = calibration.findings.rates;
  Rates rates(calibration);
  rates.measure_hbm(found);
  rates.measure_l2(found);
  rates.measure_pipes(found);
  rates.measure_launches(found);
}

}  // namespace hbmscope
