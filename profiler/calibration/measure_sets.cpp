// Ways and sets of the L2, and which line a full set gives up, as SM 0 sees them.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/set_search.h"
#include "profiler/calibration/sets.h"

namespace hbmscope {
namespace {

constexpr std::uint32_t kTargets[] = {1000, 1001, 1032, 10742, 61615, 189636};
constexpr std::size_t kTargetsWithMembers = 3;

std::string member_columns(const Members& members, std::vector<double>& sets_implied) {
  const double region_lines = static_cast<double>(SetSearch::kRegionMib * kLinesPerMib);
  sets_implied.push_back(region_lines / std::max(members.count, 1U));
  const std::span<const unsigned> lines(members.lines,
                                        std::min(members.count, static_cast<unsigned>(kMaxMembers)));
  return fmt::format("{},{},{:.0f},{}", members.count, SetSearch::kRegionMib * kMiB, sets_implied.back(),
                     fmt::join(lines, " "));
}

}  // namespace

void measure_sets(Calibration& calibration) {
  const LatencyBounds& bounds = calibration.findings.bounds.value();
  SetSearch sets(calibration.probe, bounds.eviction_margin);
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
