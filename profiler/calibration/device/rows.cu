// Which pages of memory hold lines of a set of the L2, seen from one SM.

#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"

namespace hbmscope {
namespace {

constexpr unsigned kWarp = 0xffffffffu;
constexpr unsigned kLinesOfPage = 32;  // one for each lane
constexpr unsigned kPagesAtOnce = 16;

// The target with its eviction set: a lane reads one line of it, all but the last.
struct FullSet {
  const char* target;
  const char* own;  // nullptr: this lane reads none
  unsigned limit;   // slower than this: evicted
};

// Whether reading these pages evicts the target from its set, which was full. The same answer in all lanes.
__device__ bool evicted_by(const char* pages, unsigned count, const FullSet& set) {
  unsigned cycles = 0;
  if (threadIdx.x == 0) keep(load(set.target));
  __syncwarp();
  if (set.own != nullptr) keep(load(set.own));
  __syncwarp();
  unsigned sum = 0;
  for (unsigned page = 0; page < count; ++page)
    sum += load(address_of(pages, page * kLinesOfPage + threadIdx.x));
  keep(sum);
  __syncwarp();
  if (threadIdx.x == 0) cycles = timed_load(set.target);
  return __shfl_sync(kWarp, cycles, 0) > set.limit;
}

// Every time of three.
__device__ bool shares_set(const char* page, const FullSet& set) {
  for (int i = 0; i < 3; ++i) {
    if (!evicted_by(page, 1, set)) return false;
  }
  return true;
}

}  // namespace
}  // namespace hbmscope

// One warp. `pages`: a multiple of kPagesAtOnce. Pages with a line that stands in for itself, the target or
// one of its eviction set, are not told. Few pages share a set, so that most are told many at once.
extern "C" __global__ void find_pages(unsigned sm, unsigned* taken, const char* lines, unsigned pages,
                                      const hbmscope::EvictionSet* set, unsigned target, unsigned margin,
                                      unsigned char* shares) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  const int lane = static_cast<int>(threadIdx.x);
  const FullSet full{address_of(lines, target),
                     lane < set->ways - 1 ? address_of(lines, set->lines[lane]) : nullptr,
                     set->near_cycles + margin};
  for (unsigned first = 0; first < pages; first += kPagesAtOnce) {
    if (!evicted_by(address_of(lines, first * kLinesOfPage), kPagesAtOnce, full)) continue;
    for (unsigned page = first; page < first + kPagesAtOnce; ++page) {
      const bool hit = shares_set(address_of(lines, page * kLinesOfPage), full);
      if (lane == 0 && hit) shares[page] = 1;
    }
  }
}
