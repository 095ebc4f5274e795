// What DRAM is asked for by the micro-patterns, by counters.

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/written_lines.h"
#include "profiler/cupti_source.h"
#include "profiler/statistics.h"
#include "profiler/sweep.h"

namespace hbmscope {
namespace {

constexpr int kPlacements = 3;
constexpr unsigned kThreads = 1024;
constexpr Bytes kPlacementStep = 4 * kKiB;

struct Counted {
  std::vector<double> reads;
  std::vector<double> writes;
  std::vector<double> later;
};

class Patterns {
 public:
  explicit Patterns(Calibration& calibration)
      : probe_(calibration.probe), counters_(probe_.device()), sweep_(probe_.device()) {}

  Counted count(const MicroPattern& pattern) {
    Counted counted;
    for (int placement = 0; placement < kPlacements; ++placement) count_at(pattern, place(pattern), counted);
    return counted;
  }

 private:
  // Where each buffer begins: anywhere in a part of the memory of its own.
  std::vector<CUdeviceptr> place(const MicroPattern& pattern) {
    const auto buffers = static_cast<Bytes>(pattern.buffers());
    const Bytes part = Probe::kMemoryMib * kMiB / buffers / kPlacementStep * kPlacementStep;
    if (pattern.bytes > part) throw std::runtime_error("a pattern that is larger than the probed memory");
    std::vector<CUdeviceptr> places;
    for (Bytes buffer = 0; buffer < buffers; ++buffer) {
      const Bytes steps =
          std::uniform_int_distribution<Bytes>(0, (part - pattern.bytes) / kPlacementStep)(random_);
      places.push_back(probe_.lines(0, 0).first + buffer * part + steps * kPlacementStep);
    }
    return places;
  }

  void submit(const RingPass& pass, const std::vector<CUdeviceptr>& places, Bytes bytes) {
    const LaunchShape shape{.grid_x = static_cast<unsigned>(pass.ctas), .threads = kThreads};
    const std::uint64_t lines = bytes / kProbeLineBytes;
    const auto at = [&](int buffer) { return places.at(static_cast<std::size_t>(buffer)); };
    const auto kernel = [&](const char* entry) { return probe_.kernel(calibration_build("lines"), entry); };
    if (pass.copies_to != kNone) {
      Probe::submit(kernel("copy_once"), shape, at(pass.first_buffer), lines, at(pass.copies_to));
    } else if (pass.operation == Operation::store) {
      Probe::submit(kernel("write_once"), shape, at(pass.first_buffer), lines);
    } else if (pass.share == RingShare::part) {
      Probe::submit(kernel("read_once"), shape, at(pass.first_buffer), lines);
    } else {
      Probe::submit(kernel("read_ring"), shape, at(pass.first_buffer), lines, static_cast<int>(pass.rounds),
                    pass.walk == Walk::alternating ? 1 : 0);
    }
  }

  void count_at(const MicroPattern& pattern, const std::vector<CUdeviceptr>& places, Counted& counted) {
    Replay replay;
    replay.prepare = [&] {
      sweep_.run();
      for (std::size_t pass = 0; pass + 1 < pattern.passes.size(); ++pass)
        submit(pattern.passes[pass], places, pattern.bytes);
    };
    replay.ranges = {{"pattern", [&] { submit(pattern.passes.back(), places, pattern.bytes); }},
                     {"sweep", [&] { sweep_.run(); }}};
    const CounterReadings readings =
        counters_.measure(std::vector{Quantity::hbm_read, Quantity::hbm_write}, replay);
    if (!readings.absent.empty()) throw std::runtime_error(readings.absent.begin()->second);
    counted.reads.push_back(readings.ranges.at(0).at(Quantity::hbm_read));
    counted.writes.push_back(readings.ranges.at(0).at(Quantity::hbm_write));
    counted.later.push_back(readings.ranges.at(1).at(Quantity::hbm_write));
  }

  Probe& probe_;
  CuptiCounterSource counters_;
  L2Sweep sweep_;
  std::mt19937_64 random_{5};
};

// Forward rings that all SMs read, and written buffers, say where the L2 ends and how much stays dirty.
void conclude(Findings& findings, double capacity, std::int64_t sms) {
  std::vector<CountedRing> rings;
  std::vector<WrittenBuffer> written;
  for (const PatternRow& row : findings.patterns) {
    const RingPass& last = row.pattern.passes.back();
    const auto bytes = static_cast<double>(row.pattern.bytes);
    if (row.pattern.writes()) {
      written.push_back({bytes, row.counted.median, row.written_later.value()});
    } else if (last.share == RingShare::all && last.walk == Walk::up && last.ctas == sms) {
      rings.push_back({bytes, static_cast<int>(last.rounds), row.counted.median});
    }
  }
  findings.knee_bytes = knee_of(rings);
  findings.dirty_share = dirty_share_of(written, capacity);
}

}  // namespace

void measure_patterns(Calibration& calibration) {
  Patterns patterns(calibration);
  Findings& findings = calibration.findings;
  findings.patterns.clear();
  for (const MicroPattern& pattern : micro_patterns(calibration.described)) {
    const Counted counted = patterns.count(pattern);
    PatternRow row{.pattern = pattern,
                   .counted = pattern_bytes(pattern.writes() ? counted.writes : counted.reads),
                   .written_later = {},
                   .replayed = {}};
    if (pattern.writes()) row.written_later = median(counted.later);
    findings.patterns.push_back(std::move(row));
  }
  conclude(findings, static_cast<double>(calibration.facts.l2_bytes), calibration.described.sms);
}

}  // namespace hbmscope
