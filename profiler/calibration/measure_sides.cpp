// On which side of the L2 SMs are and lines are homed. A line is homed on one side; an SM of the other that
// reads it leaves a copy on its own. So what SM 0 has read is near for all SMs of its side, while an SM of
// the other side finds near what is homed there, and far the rest.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/measure.h"

namespace hbmscope {
namespace {

constexpr std::size_t kHomeMib = 8;
constexpr std::size_t kAskedLines = 512;  // half of them are homed on either side

using Cycles = std::vector<std::uint16_t>;

// The first is left out, because it waits for the kernel's instructions and its TLB entries, too.
Cycles later_latencies(Probe& probe, int sm, Lines lines) {
  Cycles cycles = probe.latencies(sm, lines, in_order(lines.count));
  cycles.erase(cycles.begin());
  return cycles;
}

void write_histogram(EvidenceFile& file, const char* lines, const Cycles& cycles) {
  std::map<int, int> counts;  // in steps of 4 cycles
  for (const int each : cycles) ++counts[each / 4 * 4];
  for (const auto& [from, count] : counts) file.row(fmt::format("{},{},{}", lines, from, count));
}

double median_of(Cycles cycles) {
  const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
  std::ranges::nth_element(cycles, middle);
  return *middle;
}

void append(Cycles& to, const Cycles& cycles) { to.insert(to.end(), cycles.begin(), cycles.end()); }

}  // namespace

int Calibration::side_b() const {
  const auto other = std::ranges::find(findings.sm_sides, 1);
  if (other == findings.sm_sides.end()) throw std::runtime_error("all SMs are on one side of the L2");
  return static_cast<int>(other - findings.sm_sides.begin());
}

void measure_sides(Calibration& calibration) {
  Probe& probe = calibration.probe;
  const Lines lines{probe.lines(512, 1).first, kAskedLines};
  std::vector<Cycles> of_sm;
  Cycles own;
  Cycles dram;
  Cycles shared;
  for (int sm = 0; sm < probe.sms(); ++sm) {
    probe.flush();
    probe.touch_by(0, lines);
    of_sm.push_back(later_latencies(probe, sm, lines));
    append(shared, of_sm.back());
    if (sm % 16 != 0) continue;
    append(own, later_latencies(probe, sm, lines));  // which it has read just now
    probe.flush();
    append(dram, later_latencies(probe, sm, lines));
  }
  EvidenceFile histogram(calibration.evidence, "latencies.csv", "lines,from_cycles,count");
  write_histogram(histogram, "read by the asking SM", own);
  write_histogram(histogram, "read by SM 0", shared);
  write_histogram(histogram, "not read", dram);
  const LatencyBounds bounds = latency_bounds(own, shared, dram);
  calibration.findings.rates.l2_latency_clocks = median_of(shared);
  calibration.findings.rates.hbm_latency_clocks = median_of(dram);
  std::vector<double> far_shares;
  for (const Cycles& cycles : of_sm) far_shares.push_back(1 - shares_of(cycles, bounds).near);
  const std::vector<int> sides =
      bounds.two_sides ? sides_of(far_shares) : std::vector<int>(far_shares.size(), 0);
  EvidenceFile file(calibration.evidence, "sm_sides.csv", "sm,median_cycles,far_share,side");
  for (std::size_t sm = 0; sm < of_sm.size(); ++sm) {
    std::ranges::sort(of_sm[sm]);
    file.row(fmt::format("{},{},{:.6f},{}", sm, of_sm[sm][of_sm[sm].size() / 2], far_shares[sm], sides[sm]));
  }
  calibration.findings.bounds = bounds;
  calibration.findings.sm_sides = sides;
}

// An address here is one of 8 MiB: bits above 20 are those of the physical address only where the driver has
// put the 2 MiB pages side by side.
void measure_homes(Calibration& calibration) {
  const LatencyBounds& bounds = calibration.findings.bounds.value();
  if (!bounds.two_sides) return;
  Probe& probe = calibration.probe;
  const int side_b = calibration.side_b();
  EvidenceFile file(calibration.evidence, "homes.csv", "offset_mib,address_bits,lines,share_explained");
  HomeRule found;
  for (const std::size_t offset_mib : {512U, 520U, 528U, 680U}) {
    const Lines lines = probe.lines(offset_mib, kHomeMib);
    probe.flush();
    probe.touch_by(0, lines);
    std::vector<int> home;  // 1: of the side that asks, -1: of the other, 0: not to be told
    for (const unsigned cycles : probe.latencies(side_b, lines, in_order(lines.count)))
      home.push_back(cycles <= bounds.near ? 1 : cycles <= bounds.far ? -1 : 0);
    const HomeRule rule = home_rule(std::move(home));
    file.row(fmt::format("{},{},{},{:.6f}", offset_mib, fmt::join(rule.address_bits, " "), rule.lines,
                         rule.share_explained));
    if (rule.share_explained > found.share_explained) found = rule;
  }
  calibration.findings.home_rule = text_of(found);
  calibration.findings.home_bits = found.address_bits;
}

}  // namespace hbmscope
