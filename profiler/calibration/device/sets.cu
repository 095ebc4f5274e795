// Which lines share a set of the L2 with a target, how many the set holds, and which of them it gives up. All
// is seen from one SM, so a set is one of its side: it holds homes and copies, and with them every line.

#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"

namespace hbmscope {
namespace {

// With w ways w of the groups are needed at the end, so a third of 48 groups, at 16 ways, and the rest go.
constexpr int kGroups = 48;
constexpr int kMaxTests = 20000;
// Chance evictions are rare, but a group dropped for one of them is lost. While sets are large, losing a few
// of many members does no harm.
constexpr int kRepeatBelow = 4096;
constexpr unsigned kWarp = 0xffffffffu;

// A read that is over before the next one begins. Without the fence ptxas moves loads ahead of a loop of
// loads, although all of them are volatile.
__device__ void read_in_turn(const char* address) {
  keep(load(address));
  asm volatile("membar.cta;" ::: "memory");
}

// The shortest of a few reads of a line that has just been read.
__device__ unsigned cycles_while_near(const char* address) {
  keep(load(address));
  unsigned shortest = timed_load(address);
  for (int i = 0; i < 8; ++i) shortest = min(shortest, timed_load(address));
  return shortest;
}

// --- Group elimination (Vila, Koepf, Morales 2019): the candidates are cut into groups; a group without
// which the rest still evicts the target is dropped, until no group can be. ---

struct Search {
  const char* lines;
  unsigned* candidates;
  int count;
  const char* target;
  unsigned limit;  // slower than this: evicted
  int tests;
};

// Whether reading the candidates outside [begin, end) evicts the target. The same answer in all threads.
__device__ bool evicts_once(Search& search, int begin, int end) {
  __shared__ unsigned cycles;
  if (threadIdx.x == 0) keep(load(search.target));
  __syncthreads();
  unsigned sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < search.count; i += static_cast<int>(blockDim.x)) {
    if (i < begin || i >= end) sum += load(address_of(search.lines, search.candidates[i]));
  }
  keep(sum);
  __syncthreads();
  if (threadIdx.x == 0) cycles = timed_load(search.target);
  __syncthreads();
  const bool evicted = cycles > search.limit;
  __syncthreads();  // before the next test overwrites `cycles`
  ++search.tests;
  return evicted;
}

__device__ bool evicts(Search& search, int begin, int end) {
  const int repeats = search.count < kRepeatBelow ? 3 : 1;
  for (int i = 0; i < repeats; ++i) {
    if (!evicts_once(search, begin, end)) return false;
  }
  return true;
}

// Fills the gap [begin, end) with candidates from the tail.
__device__ void drop(Search& search, int begin, int end) {
  const int moved = min(end - begin, search.count - end);
  for (int i = static_cast<int>(threadIdx.x); i < moved; i += static_cast<int>(blockDim.x))
    search.candidates[begin + i] = search.candidates[search.count - moved + i];
  search.count -= end - begin;
  __syncthreads();
}

// Drops the first of the groups that is not needed. False if all are.
__device__ bool drop_a_group(Search& search, int groups) {
  const long long count = search.count;
  for (int group = 0; group < groups; ++group) {
    const int begin = static_cast<int>(count * group / groups);
    const int end = static_cast<int>(count * (group + 1) / groups);
    if (!evicts(search, begin, end)) continue;
    drop(search, begin, end);
    return true;
  }
  return false;
}

__device__ void reduce(Search& search) {
  int groups = kGroups;
  while (search.count > 1 && search.tests < kMaxTests) {
    groups = min(groups, search.count);
    if (drop_a_group(search, groups)) continue;
    if (groups == search.count) return;
    groups *= 2;
  }
}

// --- Members ---

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
  for (int i = 0; i < 3 && evictions < 3; ++i) {
    if (evicted_by(line, trial)) ++evictions;
  }
  return evictions == 3;
}

}  // namespace
}  // namespace hbmscope

// Finds an eviction set of line `target` in the candidates (numbers of lines), which it reorders. One CTA.
// `margin`: so many cycles slower than near is evicted.
extern "C" __global__ void find_eviction_set(unsigned sm, unsigned* taken, const char* lines,
                                             unsigned* candidates, int count, unsigned target,
                                             unsigned margin, hbmscope::EvictionSet* result) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  __shared__ unsigned near;
  const char* address = address_of(lines, target);
  if (threadIdx.x == 0) near = cycles_while_near(address);
  __syncthreads();
  Search search{lines, candidates, count, address, near + margin, 0};
  const bool found = evicts(search, 0, 0);
  if (found) reduce(search);
  if (threadIdx.x != 0) return;
  result->near_cycles = near;
  result->ways = found && search.count <= kMaxWays ? search.count : 0;
  for (int i = 0; i < result->ways; ++i) result->lines[i] = candidates[i];
}

// The first `region` lines that share the set. One warp. The target and its eviction set cannot stand in for
// themselves.
extern "C" __global__ void find_members(unsigned sm, unsigned* taken, const char* lines, unsigned region,
                                        const hbmscope::EvictionSet* set, unsigned target, unsigned margin,
                                        hbmscope::Members* members) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned own = lane < set->ways ? set->lines[lane] : target;
  const Trial trial{address_of(lines, target), lane < set->ways - 1 ? address_of(lines, own) : nullptr,
                    set->near_cycles + margin};
  unsigned count = 0;
  for (unsigned line = 0; line < region; ++line) {
    const bool known = __any_sync(kWarp, line == target || line == own);
    if (!known && !shares_set(address_of(lines, line), trial)) continue;
    if (lane == 0 && count < kMaxMembers) members->lines[count] = line;
    ++count;
  }
  if (lane == 0) members->count = count;
}

// Which line of a full set goes when one more comes. One thread: every read waits for the one before. Asking
// for a line brings it back, so one is asked for in each try. That the line of the next try is in the set,
// though the one of this try was gone, is what reading all of them twice is for.
extern "C" __global__ void find_victims(unsigned sm, unsigned* taken, const char* lines,
                                        const hbmscope::EvictionSet* set, unsigned target, unsigned margin,
                                        hbmscope::Victims* victims) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  for (int victim = 0; victim < set->ways; ++victim) {
    const char* asked = address_of(lines, set->lines[victim]);
    const unsigned limit = cycles_while_near(asked) + margin;
    unsigned evictions = 0;
    for (int attempt = 0; attempt < kReplacementTries; ++attempt) {
      for (int round = 0; round < 2; ++round) {  // twice, so that nothing else is left in the set
        for (int i = 0; i < set->ways; ++i) read_in_turn(address_of(lines, set->lines[i]));
      }
      read_in_turn(address_of(lines, set->lines[0]));
      read_in_turn(address_of(lines, target));
      if (timed_load(asked) > limit) ++evictions;
    }
    victims->evictions[victim] = evictions;
  }
}
