#pragma once

#include <array>
#include <vector>

#include "profiler/calibration/cta_rates.h"
#include "profiler/calibration/lone_ctas.h"
#include "profiler/calibration/traced_launch.h"

namespace hbmscope {

// Launches of flash2, whose CTAs ask for their tiles before they need them: two waves that fill the GPU, and
// CTAs that are alone on their SMs, with K and V in the L2 and in DRAM. Throws DeviceError.
class SharingLaunches {
 public:
  SharingLaunches(const TracedBench& bench, const TracedKernel& traced);

  SharingTraces run();

 private:
  TracedKernel traced_;
  TracedLaunch full_;
  TracedLaunch full_long_;
  std::array<TracedLaunch, kStallShares.size()> full_hbm_;
  TracedLaunch alone_;
  TracedLaunch alone_hbm_;
};

}  // namespace hbmscope
