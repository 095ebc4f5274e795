#pragma once

#include <cstddef>

#include "profiler/calibration/cta_rates.h"
#include "profiler/calibration/traced_launch.h"

namespace hbmscope {

// So few CTAs that all they move lies in the L2.
inline constexpr std::size_t kCtasInL2 = 16;

// Where launches of traced kernels are timed. `probe` and `inputs` must outlive it.
struct TracedBench {
  Probe& probe;
  RandomPairs& inputs;
  Bytes l2_bytes = 0;

  std::size_t sms() const { return static_cast<std::size_t>(probe.sms()); }
  TracedLaunch launch(const TracedKernel& traced, std::size_t ctas, const TracedWork& work) const {
    return {probe, inputs, traced, ctas, work};
  }
};

// Pairs of a row of Q and a key.
inline double row_keys(const TracedWork& work) {
  return static_cast<double>(work.rows_of_cta) * static_cast<double>(work.keys);
}

// How long CTAs that have their SMs to themselves take, in cycles for a row and a key, of flash1 and of the
// last launches of standard and standard-online. `older_cycles`: the older one of two on an SM;
// `lone_of_pairs`: how much faster a lone one was beside such pairs. Throw DeviceError.
RowKeyTimes times_of_flash1(const TracedBench& bench, const TracedKernel& traced, double older_cycles);
RowKeyTimes times_of_standard(const TracedBench& bench, const TracedKernel& traced, double lone_of_pairs);

}  // namespace hbmscope
