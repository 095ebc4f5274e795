#include "profiler/calibration/sharing_ctas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hbmscope {
namespace {

constexpr std::size_t kWaves = 2;

std::size_t ctas_of_waves(const TracedBench& bench, const TracedKernel& traced, std::size_t waves) {
  return waves * bench.sms() * static_cast<std::size_t>(traced.ctas_per_sm);
}

// Of CTAs that share K and V, one is the first to need them.
std::size_t sharers(double share) { return static_cast<std::size_t>(std::lround(1 / share)); }

// Whole groups of CTAs that share K and V, which must come from DRAM.
TracedLaunch from_hbm(const TracedBench& bench, const TracedKernel& traced, std::size_t ctas, double share) {
  const std::size_t sharing = sharers(share);
  return bench.launch(traced, std::max<std::size_t>(ctas / sharing, 1) * sharing,
                      work_from_hbm(traced, bench.l2_bytes, sharing));
}

}  // namespace

SharingLaunches::SharingLaunches(const TracedBench& bench, const TracedKernel& traced)
    : traced_(traced),
      full_(
          bench.launch(traced, ctas_of_waves(bench, traced, kWaves), work_of_waves(traced, bench.l2_bytes))),
      full_long_(bench.launch(traced, ctas_of_waves(bench, traced, kWaves), long_work(traced))),
      full_hbm_{from_hbm(bench, traced, ctas_of_waves(bench, traced, kWaves), kStallShares[0]),
                from_hbm(bench, traced, ctas_of_waves(bench, traced, kWaves), kStallShares[1]),
                from_hbm(bench, traced, ctas_of_waves(bench, traced, kWaves), kStallShares[2])},
      alone_(bench.launch(traced, kCtasInL2, work_of_waves(traced, bench.l2_bytes))),
      alone_hbm_(from_hbm(bench, traced, bench.sms(), kStallShares[0])) {
  alone_hbm_.run();  // warm up
}

SharingTraces SharingLaunches::run() {
  SharingTraces traces;
  traces.full_long = full_long_.run();
  traces.long_tiles = static_cast<double>(long_work(traced_).keys) / traced_.bc;
  for (std::size_t share = 0; share < kStallShares.size(); ++share)
    traces.full_hbm[share] = full_hbm_[share].run();
  traces.alone_hbm = alone_hbm_.run();
  alone_.run();  // the L2 takes K and V
  traces.alone = alone_.run();
  full_.run();
  traces.full = full_.run();
  return traces;
}

}  // namespace hbmscope
