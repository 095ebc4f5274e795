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

// Rows of flash1, keys of the others: on an H200 half of them, in whole tiles; nothing of one tile.
TEST(TracedWork, HalfOfItIsWholeTiles) {
  for (const TracedKernel& traced : traced_kernels()) {
    if (!waits_for_tiles(traced)) continue;
    const TracedWork whole = work_in_l2(traced, 60 * kMiB, 33);
    const TracedWork half = half_of(traced, whole);
    const bool rows = traced.algorithm == "flash1";
    EXPECT_NEAR(bytes_waited_for(traced, half, 33), bytes_waited_for(traced, whole, 33) / 2,
                bytes_waited_for(traced, whole, 33) / 4);
    EXPECT_EQ(half.rows_of_cta % traced.br, 0);
    EXPECT_EQ(half.keys % traced.bc, 0);
    EXPECT_GT(half.rows_of_cta * half.keys, 0);
    const TracedWork one{traced.br, traced.bc, 1, 1};
    EXPECT_EQ(rows ? half_of(traced, one).rows_of_cta : half_of(traced, one).keys, 0);
  }
}

TEST(TracedWork, OfPairsLetsStandardFindWhatItLoads) {
  for (const TracedKernel& traced : traced_kernels()) {
    if (!waits_for_tiles(traced)) continue;
    const TracedWork work = work_of_pairs(traced, 60 * kMiB, 165);
    if (traced.algorithm.starts_with("standard")) {
      EXPECT_LE(bytes_waited_for(traced, work, 165), 60e6 / 1.8);
    } else {
      EXPECT_EQ(work.keys, work_of_waves(traced, 60 * kMiB).keys);
    }
  }
}

// flash2 walks K and V: of all CTAs in an eighth of the L2, or those of every so many CTAs their own.
TEST(TracedWork, OfFlash2SharesKAndVInTheL2OrNot) {
  for (const TracedKernel& traced : traced_kernels()) {
    if (waits_for_tiles(traced)) continue;
    for (const Bytes l2 : {4 * kMiB, 60 * kMiB}) {
      const TracedWork near = work_of_waves(traced, l2);
      const double bytes = 4.0 * near.keys * traced.head_dim;
      EXPECT_LE(bytes, static_cast<double>(l2) / 8);
      EXPECT_GE(bytes, static_cast<double>(l2) / 10);
      EXPECT_EQ(near.keys % traced.bc, 0);
      EXPECT_EQ(near.ctas_of_kv_head, 0U);
      const TracedWork far = work_from_hbm(traced, l2, 8);
      EXPECT_EQ(far.keys, near.keys);
      EXPECT_EQ(far.ctas_of_kv_head, 8U);
    }
  }
}

TEST(TracedWork, ShareFromDramIsThatOfTheTilesWaitedFor) {
  EXPECT_DOUBLE_EQ(share_from_hbm({.algorithm = "flash1", .kernel = {}}), 0.6);
  EXPECT_DOUBLE_EQ(share_from_hbm({.algorithm = "standard_pv", .kernel = {}, .br = 128, .head_dim = 64}),
                   2.0 / 3);
}

}  // namespace hbmscope
