#include "sim/l2/placements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sim/l2/l2_geometry.h"
#include "sim/l2/replay.h"
#include "sim/l2/ring_program.h"

namespace hbmscope {
namespace {

double deviation_of(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// How often a further value lies within the reach of those drawn before.
double share_within_reach(std::size_t values, std::mt19937& random) {
  constexpr int kTrials = 100'000;
  std::normal_distribution<double> normal;
  int inside = 0;
  std::vector<double> drawn(values);
  for (int trial = 0; trial < kTrials; ++trial) {
    double mean = 0;
    for (double& value : drawn) mean += (value = normal(random)) / static_cast<double>(values);
    const double reach = prediction_reach(values) * deviation_of(drawn, mean);
    if (std::abs(normal(random) - mean) <= reach) ++inside;
  }
  return static_cast<double>(inside) / kTrials;
}

// All SMs read a ring four times.
struct Ring {
  std::unique_ptr<Program> program = std::make_unique<Program>();
  Traffic traffic;
  GpuSpec gpu = load_gpu("h200");

  explicit Ring(Bytes bytes) {
    const std::array<Bytes, 1> buffers{bytes};
    const std::array<RingPass, 1> passes{{{.ctas = 132, .rounds = 4}}};
    build_ring_program(buffers, passes, *program);
    count_traffic(*program, traffic);
  }

  std::uint64_t read_with(double capacity, std::uint64_t seed) const {
    HbmTraffic hbm;
    replay(*program, gpu, of_capacity(capacity, l2_geometry(gpu)), seed, hbm);
    return hbm.launches[0].tensors[0].read;
  }
};

}  // namespace

TEST(PredictionReach, HoldsNineOfTenFurtherValues) {
  std::mt19937 random(1);
  for (const std::size_t values : {2U, 3U, 5U, 9U, 15U}) {
    EXPECT_NEAR(share_within_reach(values, random), 0.9, 0.004) << values << " values";
  }
}

TEST(Placements, BandIsAsWideAsAnotherCapacityMakesIt) {
  const Ring ring(30 * kMiB);
  HbmTraffic hbm;
  replay_placements(*ring.program, ring.gpu, ring.traffic, hbm);
  const std::uint64_t median = hbm.launches[0].tensors[0].read;
  EXPECT_EQ(median, ring.read_with(1, *hbm.seed));
  const double more =
      static_cast<double>(ring.read_with(1 - kUnsureCapacity, *hbm.seed)) - static_cast<double>(median);
  const double fewer =
      static_cast<double>(median) - static_cast<double>(ring.read_with(1 + kUnsureCapacity, *hbm.seed));
  EXPECT_GT(more, 0);
  EXPECT_GT(fewer, 0);
  EXPECT_GE(static_cast<double>(hbm.band->p95.read - median), 1.644 * more);
  EXPECT_GE(static_cast<double>(median - hbm.band->p05.read),
            std::min(1.644 * fewer, static_cast<double>(median - 30 * kMiB)));
}

TEST(Placements, HaveNoBandWhereEveryCapacityHoldsAll) {
  const Ring ring(4 * kMiB);
  HbmTraffic hbm;
  replay_placements(*ring.program, ring.gpu, ring.traffic, hbm);
  EXPECT_EQ(hbm.band->p05.read, 4 * kMiB);
  EXPECT_EQ(hbm.band->p95.read, 4 * kMiB);
}

TEST(OfCapacity, ScalesWhatSetsHoldAndHowMuchOfItMayBeDirty) {
  const L2Geometry geometry = l2_geometry(load_gpu("h200"));
  const L2Geometry half = of_capacity(0.5, geometry);
  EXPECT_EQ(half.side_bytes, geometry.side_bytes / 2);
  EXPECT_EQ(half.dirty_bytes, geometry.dirty_bytes / 2);
  EXPECT_EQ(half.units(), geometry.units());
}

}  // namespace hbmscope
