// Ways and sets of the L2, and which line a full set gives up, as SM 0 sees them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "profiler/calibration/device/results.h"
#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/sets.h"

namespace hbmscope {
namespace {

constexpr std::size_t kRangeMib = 512;
// 128 MiB, so several times what a set holds.
constexpr std::size_t kCandidates = std::size_t{1} << 20U;
constexpr std::size_t kRegionMib = 128;
constexpr int kAttempts = 3;
constexpr unsigned kThreads = 512;
constexpr int kSm = 0;
constexpr std::uint32_t kTargets[] = {1000, 1001, 1032, 10742, 61615, 189636};
// All lines of the region are tried one by one, which takes seconds: for a few targets only.
constexpr std::size_t kTargetsWithMembers = 3;

// Random lines without the target.
std::vector<std::uint32_t> candidates_for(std::uint32_t target, std::mt19937& random) {
  std::vector<std::uint32_t> lines = in_order(kRangeMib * kLinesPerMib);
  std::swap(lines[target], lines.back());
  lines.pop_back();
  std::ranges::shuffle(lines, random);
  lines.resize(kCandidates);
  return lines;
}

class Sets {
 public:
  Sets(Probe& probe, unsigned margin)
      : probe_(probe),
        margin_(margin),
        first_(probe.lines(0, kRangeMib).first),
        find_(probe.kernel(calibration_build("sets"), "find_eviction_set")),
        find_members_(probe.kernel(calibration_build("sets"), "find_members")),
        find_victims_(probe.kernel(calibration_build("sets"), "find_victims")) {}

  // A search fails now and then, because something else evicted the target. Other candidates, other luck.
  EvictionSet find(std::uint32_t target) {
    EvictionSet set{};
    for (int attempt = 0; attempt < kAttempts && set.ways == 0; ++attempt) {
      candidates_.assign(candidates_for(target, random_));
      probe_.run_on(kSm, kThreads, find_, first_, candidates_.address(), static_cast<int>(kCandidates),
                    target, margin_, set_.address());
      set = set_.values()[0];
    }
    return set;
  }

  // Both of the set that was found last.
  Members members(std::uint32_t target) {
    probe_.run_on(kSm, 32, find_members_, first_, static_cast<unsigned>(kRegionMib * kLinesPerMib),
                  set_.address(), target, margin_, members_.address());
    return members_.values()[0];
  }
  Victims victims(std::uint32_t target) {
    probe_.run_on(kSm, 1, find_victims_, first_, set_.address(), target, margin_, victims_.address());
    return victims_.values()[0];
  }

 private:
  Probe& probe_;
  unsigned margin_;
  CUdeviceptr first_;
  Kernel find_;
  Kernel find_members_;
  Kernel find_victims_;
  std::mt19937 random_{7};
  DeviceArray<std::uint32_t> candidates_{kCandidates};
  DeviceArray<EvictionSet> set_{1};
  DeviceArray<Members> members_{1};
  DeviceArray<Victims> victims_{1};
};

std::string member_columns(const Members& members, std::vector<double>& sets_implied) {
  const double region_lines = static_cast<double>(kRegionMib * kLinesPerMib);
  sets_implied.push_back(region_lines / std::max(members.count, 1U));
  const std::span<const unsigned> lines(members.lines,
                                        std::min(members.count, static_cast<unsigned>(kMaxMembers)));
  return fmt::format("{},{},{:.0f},{}", members.count, kRegionMib * kMiB, sets_implied.back(),
                     fmt::join(lines, " "));
}

}  // namespace

void measure_sets(Calibration& calibration) {
  const LatencyBounds& bounds = calibration.findings.bounds.value();
  Sets sets(calibration.probe, bounds.eviction_margin);
  EvidenceFile file(calibration.evidence, "sets.csv",
                    "target_line,ways,members,region_bytes,sets_implied,member_lines");
  EvidenceFile victims_file(calibration.evidence, "replacement.csv",
                            "target_line,tries,evictions_by_position");
  std::vector<int> ways;
  std::vector<double> sets_implied;
  std::vector<std::vector<unsigned>> evictions;
  for (const std::uint32_t target : kTargets) {
    const EvictionSet set = sets.find(target);
    ways.push_back(set.ways);
    if (set.ways == 0) {
      file.row(fmt::format("{},,,,,", target));
      continue;
    }
    const Victims victims = sets.victims(target);
    evictions.emplace_back(victims.evictions, victims.evictions + set.ways);
    victims_file.row(fmt::format("{},{},{}", target, kReplacementTries, fmt::join(evictions.back(), " ")));
    const bool with_members = sets_implied.size() < kTargetsWithMembers;
    file.row(fmt::format("{},{},{}", target, set.ways,
                         with_members ? member_columns(sets.members(target), sets_implied) : ",,,"));
  }
  Findings& findings = calibration.findings;
  const int agreed = ways_of(ways);
  std::vector<std::string> replacements;
  for (const std::vector<unsigned>& each : evictions)
    replacements.push_back(replacement_of(each, kReplacementTries));
  findings.sets_of_side = sets_of_side(sets_implied, calibration.facts.l2_bytes, findings.sides(), agreed);
  findings.ways = agreed;
  // Most targets agree, or nothing is said.
  for (const std::string& replacement : replacements) {
    if (2 * std::ranges::count(replacements, replacement) > std::ssize(replacements))
      findings.replacement = replacement;
  }
}

}  // namespace hbmscope
