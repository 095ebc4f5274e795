#include "profiler/calibration/lone_ctas.h"

#include <algorithm>
#include <vector>

#include "profiler/statistics.h"

namespace hbmscope {
namespace {

constexpr int kRuns = 7;  // of some microseconds each

// The median of some runs of so many CTAs, no more than SMs.
double median_lone_cycles(const TracedBench& bench, const TracedKernel& traced, std::size_t ctas,
                          const TracedWork& work) {
  TracedLaunch launch = bench.launch(traced, ctas, work);
  launch.run();  // warm up
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) runs.push_back(lone_cycles(launch.run()));
  return median(runs).value();
}

double row_key_cycles(const TracedBench& bench, const TracedKernel& traced, std::size_t ctas,
                      const TracedWork& work) {
  return median_lone_cycles(bench, traced, ctas, work) / row_keys(work);
}

// What each further key takes: what a CTA does before and after them is left out, where the L2 has room for
// two tiles.
double further_key_cycles(const TracedBench& bench, const TracedKernel& traced, std::size_t ctas,
                          const TracedWork& work) {
  const TracedWork half = half_of(traced, work);
  const double half_cycles = row_keys(half) > 0 ? median_lone_cycles(bench, traced, ctas, half) : 0;
  return (median_lone_cycles(bench, traced, ctas, work) - half_cycles) / (row_keys(work) - row_keys(half));
}

}  // namespace

// CTAs of flash1 wait for each tile of Q and O, which they alone move: DRAM answers the later the more of
// them ask.
RowKeyTimes times_of_flash1(const TracedBench& bench, const TracedKernel& traced, double older_cycles) {
  const std::size_t all = bench.sms();
  const auto quiet =
      std::max<std::size_t>(static_cast<std::size_t>(kQuietShare * static_cast<double>(all)), 1);
  return {
      .older_of_two = older_cycles,
      .alone = row_key_cycles(bench, traced, kCtasInL2, work_in_l2(traced, bench.l2_bytes, kCtasInL2)),
      .alone_hbm = row_key_cycles(bench, traced, all, work_beyond_l2(traced, bench.l2_bytes, all)),
      .alone_hbm_quiet = row_key_cycles(bench, traced, quiet, work_beyond_l2(traced, bench.l2_bytes, quiet))};
}

// CTAs of the last launches of standard wait for each tile of P or S. So few that each finds many keys in the
// L2. Lone CTAs beside the pairs began and ended as those did.
RowKeyTimes times_of_standard(const TracedBench& bench, const TracedKernel& traced, double lone_of_pairs) {
  const std::size_t ctas = std::max<std::size_t>(bench.sms() / 4, 1);
  RowKeyTimes times{
      .alone = further_key_cycles(bench, traced, ctas, work_in_l2(traced, bench.l2_bytes, ctas)),
      .alone_hbm = row_key_cycles(bench, traced, ctas, work_beyond_l2(traced, bench.l2_bytes, ctas))};
  times.older_of_two = lone_of_pairs * times.alone;
  return times;
}

}  // namespace hbmscope
