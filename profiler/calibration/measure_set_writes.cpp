// How many lines of a set may be dirty, and what a set gives up, line by line as SM 0 sees it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/set_experiments.h"
#include "profiler/calibration/set_search.h"
#include "profiler/calibration/sets.h"

namespace hbmscope {
namespace {

constexpr std::uint32_t kTarget = 1000;
constexpr std::size_t kRegionMib = 256;
constexpr int kTries = 3;
constexpr std::size_t kMostUses = std::size_t{1} << 18U;
constexpr std::size_t kAtOnce = 8;  // lines of a set that are asked for one after the other

using LineNumbers = std::vector<std::uint32_t>;

struct Step {
  LineUse use;
  bool by_other_side;
};

// Lines of one set by group, and what is left: to clean the set with.
struct SetLines {
  std::map<char, LineNumbers> groups;
  LineNumbers rest;
};

class SetUses {
 public:
  SetUses(Calibration& calibration, CUdeviceptr first)
      : probe_(calibration.probe),
        side_b_(calibration.side_b()),
        near_(calibration.findings.bounds.value().near),
        first_(first),
        kernel_(probe_.kernel(calibration_build("set_uses"), "use_lines")) {}

  // Whether each of the timed lines was near. SMs of the two sides take turns, launch by launch.
  std::vector<bool> run(const std::vector<Step>& steps) {
    std::vector<bool> near;
    for (std::size_t begin = 0; begin < steps.size();) {
      std::vector<LineUse> uses;
      std::size_t end = begin;
      for (; end < steps.size() && steps[end].by_other_side == steps[begin].by_other_side; ++end)
        uses.push_back(steps[end].use);
      launch(steps[begin].by_other_side ? side_b_ : SetSearch::kSm, uses, near);
      begin = end;
    }
    return near;
  }

 private:
  void launch(int sm, const std::vector<LineUse>& uses, std::vector<bool>& near) {
    const auto timed = std::ranges::count(uses, LineUse::kTime, &LineUse::kind);
    uses_.assign(uses);
    probe_.run_on(sm, 1, kernel_, first_, uses_.address(), static_cast<unsigned>(uses.size()),
                  cycles_.address());
    for (const std::uint16_t cycles : cycles_.first(static_cast<std::size_t>(timed)))
      near.push_back(cycles <= near_);
  }

  Probe& probe_;
  int side_b_;
  unsigned near_;
  CUdeviceptr first_;
  Kernel kernel_;
  DeviceArray<LineUse> uses_{kMostUses};
  DeviceArray<std::uint16_t> cycles_{kMostUses};
};

void append(std::vector<Step>& steps, std::span<const std::uint32_t> lines, LineUse::Kind kind,
            bool by_other_side = false) {
  for (const std::uint32_t line : lines) steps.push_back({{line, kind}, by_other_side});
}

// Of lines that share SM 0's set, those that are homed on its side: SM 0 finds them near when an SM of the
// other side has read them.
LineNumbers homed_here(SetUses& set, const LineNumbers& members) {
  LineNumbers here;
  for (std::size_t begin = 0; begin < members.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, members.size());
    const std::span asked(members.data() + begin, end - begin);
    LineNumbers others(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(begin));
    others.insert(others.end(), members.begin() + static_cast<std::ptrdiff_t>(end), members.end());
    std::vector<Step> steps;
    append(steps, others, LineUse::kRead);
    append(steps, others, LineUse::kRead, true);
    append(steps, asked, LineUse::kRead, true);
    append(steps, asked, LineUse::kTime);
    const std::vector<bool> near = set.run(steps);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (near[i]) here.push_back(asked[i]);
    }
  }
  return here;
}

SetLines lines_of(const LineNumbers& members, const LineNumbers& here) {
  SetLines lines;
  lines.rest = members;
  auto next = here.begin();
  for (const SetGroup& group : kSetGroups) {
    if (here.end() - next < static_cast<std::ptrdiff_t>(group.lines))
      throw std::runtime_error("too few lines of a set were found");
    lines.groups[group.name] = LineNumbers(next, next + group.lines);
    for (const std::uint32_t line : lines.groups[group.name]) std::erase(lines.rest, line);
    next += group.lines;
  }
  return lines;
}

// How often a line was near after an experiment, in kTries tries.
int kept(SetUses& set, const SetLines& lines, const std::vector<SetUse>& uses, char group, unsigned line) {
  const bool far = std::ranges::any_of(uses, &SetUse::by_other_side);
  std::vector<Step> steps;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    for (int round = 0; far && round < 3; ++round) append(steps, lines.rest, LineUse::kRead, true);
    for (int round = 0; round < 3; ++round) append(steps, lines.rest, LineUse::kRead);
    for (const SetUse& use : uses)
      steps.push_back({{lines.groups.at(use.group)[use.line], use.kind}, use.by_other_side});
    steps.push_back({{lines.groups.at(group)[line], LineUse::kTime}, false});
  }
  return static_cast<int>(std::ranges::count(set.run(steps), true));
}

// The same of all lines of a group that it uses, in order.
std::string kept(SetUses& set, const SetLines& lines, const std::vector<SetUse>& uses, char group) {
  unsigned asked = 0;
  for (const SetUse& use : uses) {
    if (use.group == group) asked = std::max(asked, use.line + 1);
  }
  std::vector<int> counts;
  for (unsigned line = 0; line < asked; ++line) counts.push_back(kept(set, lines, uses, group, line));
  return fmt::format("{}", fmt::join(counts, " "));
}

}  // namespace

void measure_set_writes(Calibration& calibration) {
  if (!calibration.findings.bounds.value().two_sides) return;
  SetSearch sets(calibration.probe, calibration.findings.bounds.value().eviction_margin);
  const EvictionSet found = sets.find(kTarget);
  if (found.ways == 0) throw std::runtime_error("no eviction set was found");
  const Members some = sets.members(kTarget, kRegionMib);
  const LineNumbers members(some.lines,
                            some.lines + std::min(some.count, static_cast<unsigned>(kMaxMembers)));
  SetUses set(calibration, sets.first());
  const SetLines lines = lines_of(members, homed_here(set, members));
  const auto ways = static_cast<unsigned>(found.ways);
  if (ways < kFewestWays || ways > kMostWays) {
    throw std::runtime_error(
        fmt::format("a set of {} lines: the experiments are for {} to {}", ways, kFewestWays, kMostWays));
  }
  // With so many reads the set is one line more than full: the first written line is gone, unless it was
  // dirty.
  std::vector<bool> first_is_dirty;
  for (unsigned written = 1; written < std::min(12U, ways); ++written) {
    const std::string text = fmt::format("write w0-{}; read r0-{}", written, ways + 1 - written);
    first_is_dirty.push_back(2 * kept(set, lines, parse_set_uses(text), 'w', 0) > kTries);
  }
  calibration.findings.dirty_ways = dirty_ways_of(first_is_dirty);
  EvidenceFile file(calibration.evidence, "set_uses.csv", "uses,tries,w_kept,r_kept,h_kept");
  for (const std::string& experiment : set_experiments(ways)) {
    const std::vector<SetUse> uses = parse_set_uses(experiment);
    file.row(fmt::format("{},{},{},{},{}", experiment, kTries, kept(set, lines, uses, 'w'),
                         kept(set, lines, uses, 'r'), kept(set, lines, uses, 'h')));
  }
}

}  // namespace hbmscope
