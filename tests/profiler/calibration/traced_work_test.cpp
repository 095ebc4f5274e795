#include "profiler/calibration/traced_work.h"

#include <gtest/gtest.h>

namespace hbmscope {
namespace {

constexpr std::size_t kCtas = 16;

// What CTAs wait for: flash1's Q and O in fp32, P or S of the others.
double bytes_waited_for(const TracedKernel& traced, const TracedWork& work, std::size_t ctas) {
  const double elements = static_cast<double>(ctas) * work.rows_of_cta;
  return traced.algorithm == "flash1" ? elements * traced.head_dim * 6 : elements * work.keys * 2;
}

}  // namespace

TEST(TracedWork, LiesInAnL2OfAnySizeOrBeyondIt) {
  for (const Bytes l2 : {4 * kMiB, 60 * kMiB}) {
    int compared = 0;
    for (const TracedKernel& traced : traced_kernels()) {
      if (!waits_for_tiles(traced)) continue;
      const auto size = static_cast<double>(l2);
      EXPECT_LE(bytes_waited_for(traced, work_in_l2(traced, l2, kCtas), kCtas), 0.4 * size) << traced.kernel;
      EXPECT_GE(bytes_waited_for(traced, work_beyond_l2(traced, l2, 66), 66), 2 * size) << traced.kernel;
      EXPECT_GE(work_of_pairs(traced, l2, 165).keys, traced.bc);
      ++compared;
    }
    EXPECT_EQ(compared, 20);
  }
}

TEST(TracedWork, OfPairsLetsStandardFindWhatItLoads) {
  for (const TracedKernel& traced : traced_kernels()) {
    const TracedWork work = work_of_pairs(traced, 60 * kMiB, 165);
    if (traced.algorithm.starts_with("standard")) {
      EXPECT_LE(bytes_waited_for(traced, work, 165), 60e6 / 1.8);
    } else {
      EXPECT_EQ(work.keys, work_of_waves(traced).keys);
    }
  }
}

TEST(TracedWork, ShareFromDramIsThatOfTheTilesWaitedFor) {
  EXPECT_DOUBLE_EQ(share_from_hbm({.algorithm = "flash1", .kernel = {}}), 0.6);
  EXPECT_DOUBLE_EQ(share_from_hbm({.algorithm = "standard_pv", .kernel = {}, .br = 128, .head_dim = 64}),
                   2.0 / 3);
}

}  // namespace hbmscope
