// Group elimination (Vila, Koepf, Morales 2019): the candidates are cut into groups; a group without which
// the rest still evicts the target is dropped, until no group can be.

#include "bench/l2_probe/eviction_set.cuh"

namespace hbmscope {
namespace {

// With w ways w of the groups are needed at the end, so a third of 48 groups, at 16 ways, and the rest go.
constexpr int kGroups = 48;
constexpr int kMaxTests = 20000;
// Chance evictions are rare, but a group dropped for one of them is lost. While sets are large, losing a few
// of many members does no harm.
constexpr int kRepeatBelow = 4096;

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
  for (int i = static_cast<int>(threadIdx.x); i < search.count; i += static_cast<int>(blockDim.x))
    if (i < begin || i >= end) sum += load(address_of(search.lines, search.candidates[i]));
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
  for (int i = 0; i < repeats; ++i)
    if (!evicts_once(search, begin, end)) return false;
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

}  // namespace

__global__ void find_eviction_set(Turn turn, const char* lines, unsigned* candidates, int count,
                                  unsigned target, EvictionSet* result) {
  if (!takes(turn)) return;
  __shared__ unsigned near;
  const char* address = address_of(lines, target);
  if (threadIdx.x == 0) near = near_cycles(address);
  __syncthreads();
  Search search{lines, candidates, count, address, near + kEvictedCycles, 0};
  const bool found = evicts(search, 0, 0);
  if (found) reduce(search);
  if (threadIdx.x != 0) return;
  result->near_cycles = near;
  result->ways = found && search.count <= kMaxWays ? search.count : 0;
  for (int i = 0; i < result->ways; ++i) result->lines[i] = candidates[i];
}

}  // namespace hbmscope
