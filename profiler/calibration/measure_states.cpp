// Where lines are after reads and writes by SMs of either side: on the side of the SM that asks (near), on
// the other (far), or only in DRAM.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/measure.h"

namespace hbmscope {
namespace {

// Apart from each other and from what flush() reads, in MiB.
constexpr std::size_t kLinesAt = 512;
constexpr std::size_t kOthersAt = 600;
constexpr std::size_t kStreamAt = 700;

constexpr std::size_t kSamples = 3000;

// What both sides see of the same lines.
struct Seen {
  LineShares by_a;
  LineShares by_b;
};

class States {
 public:
  explicit States(const Calibration& calibration)
      : probe(calibration.probe),
        a(0),
        b(calibration.side_b()),
        bounds_(calibration.findings.bounds.value()),
        file_(calibration.evidence, "states.csv", "experiment,asking_side,near,far,dram") {}

  // Prepares the first `mib` of the lines twice, from a clean L2, because asking changes where lines are.
  Seen ask(const std::string& experiment, std::size_t mib, const std::function<void(Lines)>& prepare) {
    const LineShares by_a = ask_from(a, "A", experiment, mib, prepare);
    return {by_a, ask_from(b, "B", experiment, mib, prepare)};
  }

  Probe& probe;
  const int a;
  const int b;

 private:
  LineShares ask_from(int sm, const char* side, const std::string& experiment, std::size_t mib,
                      const std::function<void(Lines)>& prepare) {
    probe.flush();
    const Lines lines = probe.lines(kLinesAt, mib);
    prepare(lines);
    // The first sample is left out, because it waits for the kernel's instructions and its TLB entries, too.
    const std::vector<std::uint16_t> cycles = probe.latencies(sm, lines, sample(lines.count));
    const LineShares shares = shares_of(std::span(cycles).subspan(1), bounds_);
    file_.row(
        fmt::format("{},{},{:.6f},{:.6f},{:.6f}", experiment, side, shares.near, shares.far, shares.dram));
    return shares;
  }
  // Different lines in random order: the asking SM finds a line near the second time.
  std::vector<std::uint32_t> sample(std::size_t lines) {
    std::vector<std::uint32_t> order = in_order(lines);
    std::ranges::shuffle(order, random_);
    order.resize(kSamples + 1);
    return order;
  }

  LatencyBounds bounds_;
  EvidenceFile file_;
  std::mt19937 random_{3};
};

// Where lines go that are read or written from one side or both. Returns what both sides see of lines that
// all SMs have read.
Seen ask_first_touch(States& states) {
  Probe& probe = states.probe;
  states.ask("8 MiB not touched", 8, [](Lines) {});
  states.ask("8 MiB read by one SM of A", 8, [&](Lines lines) { probe.touch_by(states.a, lines); });
  const Seen seen = states.ask("8 MiB read by all", 8, [&](Lines lines) { probe.touch_by_all(lines); });
  states.ask("8 MiB written by one SM of A", 8, [&](Lines lines) { probe.write_by(states.a, lines); });
  states.ask("8 MiB written by one SM of B", 8, [&](Lines lines) { probe.write_by(states.b, lines); });
  states.ask("8 MiB written by all", 8, [&](Lines lines) { probe.write_once(lines); });
  return seen;
}

// What displaces lines that both sides have copies of. `disturb` is applied to so many MiB of other lines.
void ask_ring(States& states, std::size_t ring, std::initializer_list<std::size_t> others,
              const std::string& how, const std::function<void(Lines)>& disturb) {
  for (const std::size_t mib : others) {
    states.ask(fmt::format("ring of {} MiB read by all; then {} MiB {}", ring, mib, how), ring,
               [&](Lines lines) {
                 states.probe.touch_by_all(lines);
                 states.probe.touch_by_all(lines);
                 disturb(states.probe.lines(kOthersAt, mib));
               });
  }
}

void ask_rings(States& states) {
  Probe& probe = states.probe;
  for (const std::size_t ring : {16U, 20U})
    ask_ring(states, ring, {4, 8, 12, 16, 20, 24, 32}, "written by all",
             [&](Lines lines) { probe.write_once(lines); });
  ask_ring(states, 20, {8, 12, 16, 20, 24, 32}, "streamed by all",
           [&](Lines lines) { probe.touch_once(lines); });
  for (const int sm : {states.a, states.b}) {
    const char* side = sm == states.a ? "A" : "B";
    ask_ring(states, 20, {8, 12, 16, 24}, fmt::format("written by one SM of {}", side),
             [&](Lines lines) { probe.write_by(sm, lines); });
    ask_ring(states, 20, {8, 12, 16, 24}, fmt::format("read by one SM of {}", side),
             [&](Lines lines) { probe.touch_by(sm, lines); });
  }
}

// How much of what is written stays.
void ask_written(States& states) {
  Probe& probe = states.probe;
  for (const std::size_t mib : {16U, 24U, 28U, 32U, 40U, 48U})
    states.ask(fmt::format("{} MiB written by all", mib), mib, [&](Lines lines) { probe.write_once(lines); });
  for (const std::size_t mib : {8U, 16U, 24U, 28U}) {
    states.ask(fmt::format("{} MiB written by all; then read by all", mib), mib, [&](Lines lines) {
      probe.write_once(lines);
      probe.touch_by_all(lines);
    });
  }
}

// A's copies stay as long as A reads them. Do these hits also keep the lines at their homes of side B, while
// B streams past? If not, they are gone there, although A still has them.
void ask_near_hits(States& states) {
  Probe& probe = states.probe;
  for (const bool again : {false, true}) {
    states.ask(std::string("6 MiB read by one SM of A; 40 MiB streamed by one of B") +
                   (again ? "; A reads its lines again after every MiB" : ""),
               6, [&](Lines lines) {
                 probe.touch_by(states.a, lines);
                 for (std::size_t mib = 0; mib < 40; ++mib) {
                   probe.touch_by(states.b, probe.lines(kStreamAt + mib, 1));
                   if (again) probe.touch_by(states.a, lines);
                 }
               });
  }
  states.ask("6 MiB read by one SM of A; 64 MiB streamed by one of B", 6, [&](Lines lines) {
    probe.touch_by(states.a, lines);
    probe.touch_by(states.b, probe.lines(kStreamAt, 64));
  });
}

}  // namespace

void measure_states(Calibration& calibration) {
  if (!calibration.findings.bounds.value().two_sides) {
    calibration.findings.copies = 1;
    return;
  }
  States states(calibration);
  const Seen seen = ask_first_touch(states);
  calibration.findings.copies = copies_of(seen.by_a, seen.by_b);
  ask_rings(states);
  ask_written(states);
  ask_near_hits(states);
}

}  // namespace hbmscope
