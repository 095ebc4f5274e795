#pragma once

#include <cstdint>
#include <random>

#include "profiler/calibration/device/results.h"
#include "profiler/calibration/probe.h"

namespace hbmscope {

// Which lines of the probed memory share a set of the L2, as SM 0 sees it. A line that is `margin` cycles
// slower than while it was near is no longer there.
class SetSearch {
 public:
  static constexpr std::size_t kSearchedMib = 512;  // where targets and eviction sets are
  static constexpr std::size_t kRegionMib = 128;    // where members are looked for, or more
  static constexpr int kSm = 0;

  SetSearch(Probe& probe, unsigned margin);

  CUdeviceptr first() const { return first_; }

  // As many lines as the set of this one has ways; no ways where the search fails.
  EvictionSet find(std::uint32_t target);
  // Both of the set that was found last. All lines of the region are tried one by one, which takes seconds.
  Members members(std::uint32_t target, std::size_t region_mib = kRegionMib);
  Victims victims(std::uint32_t target);

 private:
  Probe& probe_;
  unsigned margin_;
  CUdeviceptr first_;
  Kernel find_;
  Kernel find_members_;
  Kernel find_victims_;
  std::mt19937 random_{7};
  DeviceArray<std::uint32_t> candidates_;
  DeviceArray<EvictionSet> set_{1};
  DeviceArray<Members> members_{1};
  DeviceArray<Victims> victims_{1};
};

}  // namespace hbmscope
