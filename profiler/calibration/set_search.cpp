#include "profiler/calibration/set_search.h"

#include <algorithm>
#include <vector>

#include "profiler/calibration/kernels.h"

namespace hbmscope {
namespace {

// 128 MiB, so several times what a set holds.
constexpr std::size_t kCandidates = std::size_t{1} << 20U;
constexpr int kAttempts = 3;
constexpr unsigned kThreads = 512;

// Random lines without the target.
std::vector<std::uint32_t> candidates_for(std::uint32_t target, std::mt19937& random) {
  std::vector<std::uint32_t> lines = in_order(SetSearch::kSearchedMib * kLinesPerMib);
  std::swap(lines[target], lines.back());
  lines.pop_back();
  std::ranges::shuffle(lines, random);
  lines.resize(kCandidates);
  return lines;
}

}  // namespace

SetSearch::SetSearch(Probe& probe, unsigned margin)
    : probe_(probe),
      margin_(margin),
      first_(probe.lines(0, SetSearch::kSearchedMib).first),
      find_(probe.kernel(calibration_build("sets"), "find_eviction_set")),
      find_members_(probe.kernel(calibration_build("sets"), "find_members")),
      find_victims_(probe.kernel(calibration_build("sets"), "find_victims")),
      candidates_(kCandidates) {}

// A search fails now and then, because something else evicted the target. Other candidates, other luck.
EvictionSet SetSearch::find(std::uint32_t target) {
  EvictionSet set{};
  for (int attempt = 0; attempt < kAttempts && set.ways == 0; ++attempt) {
    candidates_.assign(candidates_for(target, random_));
    probe_.run_on(kSm, kThreads, find_, first_, candidates_.address(), static_cast<int>(kCandidates), target,
                  margin_, set_.address());
    set = set_.values()[0];
  }
  return set;
}

Members SetSearch::members(std::uint32_t target, std::size_t region_mib) {
  probe_.run_on(kSm, 32, find_members_, first_, static_cast<unsigned>(region_mib * kLinesPerMib),
                set_.address(), target, margin_, members_.address());
  return members_.values()[0];
}

Victims SetSearch::victims(std::uint32_t target) {
  probe_.run_on(kSm, 1, find_victims_, first_, set_.address(), target, margin_, victims_.address());
  return victims_.values()[0];
}

}  // namespace hbmscope
