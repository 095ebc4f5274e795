// Which lines share a set of the L2 with a target: those that can stand in for a line of its eviction set.
// All is seen from one SM, so a set is one of its side: it holds homes and copies, and with them every line.

#include <algorithm>
#include <numeric>
#include <random>

#include "bench/l2_probe/eviction_set.cuh"
#include "bench/l2_probe/gpu.cuh"
#include "bench/l2_probe/probes.h"

namespace hbmscope {
namespace {

constexpr std::size_t kCandidateRangeMib = 512;
constexpr std::size_t kCandidates = std::size_t{1} << 20U;  // 128 MiB, so several times what a set holds
constexpr std::size_t kRegionMib = 128;
constexpr int kAttempts = 3;
constexpr int kThreads = 512;
constexpr unsigned kWarp = 0xffffffffU;
constexpr unsigned kMaxMembers = 1024;

struct Members {
  unsigned count;  // may exceed what is stored
  unsigned lines[kMaxMembers];
};

// A target with the part of its eviction set that each lane of a warp reads: all lines but the last. Kept in
// registers, so that a test reads nothing else.
struct Trial {
  const char* target;
  const char* own;  // nullptr: this lane reads none
  unsigned limit;   // slower than this: evicted
};

// Whether the target is gone after the eviction set without its last line, and then `line`, were read. keep()
// makes each step wait for the one before. The same answer in all lanes.
__device__ bool evicted_by(const char* line, const Trial& trial) {
  const bool first = threadIdx.x == 0;
  unsigned cycles = 0;
  if (first) keep(load(trial.target));
  __syncwarp();
  if (trial.own != nullptr) keep(load(trial.own));
  __syncwarp();
  if (first) {
    keep(load(line));
    cycles = timed_load(trial.target);
  }
  return __shfl_sync(kWarp, cycles, 0) > trial.limit;
}

// Three evictions in at most four tries, the first among them: most lines are told by one.
__device__ bool shares_set(const char* line, const Trial& trial) {
  if (!evicted_by(line, trial)) return false;
  int evictions = 1;
  for (int i = 0; i < 3 && evictions < 3; ++i)
    if (evicted_by(line, trial)) ++evictions;
  return evictions == 3;
}

// One warp, the first `region` lines. The target and its eviction set cannot stand in for themselves.
__global__ void find_members(Turn turn, const char* lines, unsigned region, const EvictionSet* set,
                             unsigned target, Members* members) {
  if (!takes(turn)) return;
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned own = lane < set->ways ? set->lines[lane] : target;
  const Trial trial{address_of(lines, target), lane < set->ways - 1 ? address_of(lines, own) : nullptr,
                    set->near_cycles + kEvictedCycles};
  unsigned count = 0;
  for (unsigned line = 0; line < region; ++line) {
    const bool known = __any_sync(kWarp, line == target || line == own);
    if (!known && !shares_set(address_of(lines, line), trial)) continue;
    if (lane == 0 && count < kMaxMembers) members->lines[count] = line;
    ++count;
  }
  if (lane == 0) members->count = count;
}

// Random lines without the target.
std::vector<std::uint32_t> candidates_for(std::uint32_t target, std::mt19937& random) {
  std::vector<std::uint32_t> lines(kCandidateRangeMib * kLinesPerMiB);
  std::iota(lines.begin(), lines.end(), 0U);
  std::swap(lines[target], lines.back());
  lines.pop_back();
  std::shuffle(lines.begin(), lines.end(), random);
  lines.resize(kCandidates);
  return lines;
}

class Sets {
 public:
  Sets(const Gpu& gpu, int sm) : gpu_(gpu), sm_(sm), first_(gpu.lines(0, kCandidateRangeMib).first) {}

  // A search fails now and then, because something else evicted the target. Other candidates, other luck.
  EvictionSet find(std::uint32_t target) {
    EvictionSet set{};
    for (int attempt = 0; attempt < kAttempts && set.ways == 0; ++attempt) {
      candidates_.assign(candidates_for(target, random_));
      gpu_.run_on(sm_, kThreads, "find_eviction_set", find_eviction_set, first_, candidates_.data(),
                  static_cast<int>(kCandidates), target, set_.data());
      set = set_.values()[0];
    }
    return set;
  }

  // Of the set that was found last.
  Members members(std::uint32_t target) {
    gpu_.run_on(sm_, 32, "find_members", find_members, first_,
                static_cast<unsigned>(kRegionMib * kLinesPerMiB),
                static_cast<const EvictionSet*>(set_.data()), target, members_.data());
    return members_.values()[0];
  }

 private:
  const Gpu& gpu_;
  int sm_;
  const char* first_;
  std::mt19937 random_{7};
  DeviceArray<std::uint32_t> candidates_{kCandidates};
  DeviceArray<EvictionSet> set_{1};
  DeviceArray<Members> members_{1};
};

}  // namespace

void probe_sets(const Gpu& gpu, int sm, const std::string& folder) {
  CsvFile file(folder + "/sets.csv", "target_line,ways,members,region_bytes,sets_implied,member_lines");
  Sets sets(gpu, sm);
  for (const std::uint32_t target : {1000U, 1001U, 1032U, 1128U, 10742U, 61615U, 189636U, 315603U}) {
    std::string row = std::to_string(target) + ',';
    const EvictionSet set = sets.find(target);
    if (set.ways == 0) {
      file.row(row + ",," + std::to_string(kRegionMib * kMiB) + ",,");
      continue;
    }
    const Members members = sets.members(target);
    row += std::to_string(set.ways) + ',' + std::to_string(members.count) + ',' +
           std::to_string(kRegionMib * kMiB) + ',' +
           std::to_string(kRegionMib * kLinesPerMiB / members.count);
    for (unsigned i = 0; i < std::min(members.count, kMaxMembers); ++i) {
      row += i == 0 ? ',' : ' ';
      row += std::to_string(members.lines[i]);
    }
    file.row(row);
  }
}

}  // namespace hbmscope
