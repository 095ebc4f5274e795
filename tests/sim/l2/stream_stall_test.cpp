#include "sim/l2/stream_stall.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "sim/algorithms/algorithm.h"
#include "sim/l2/ring_program.h"

namespace hbmscope {
namespace {

// SMs take 10 TB/s from the L2, DRAM gives 4 TB/s to loads and 2.5 TB/s to copies.
GpuSpec gpu() {
  GpuSpec gpu = load_gpu("h200");
  gpu.l2_bytes_per_s->value = 10e12;
  gpu.hbm_bytes_per_s_measured->value = 4e12;
  gpu.measured.hbm_copy_bytes_per_s->value = 2.5e12;
  return gpu;
}

double stall(const Program& program, int launch, const GpuSpec& on) {
  Traffic traffic;
  count_traffic(program, traffic);
  return stream_stall(program, traffic, launch, on);
}

double stall_of(RingPass pass, const GpuSpec& on = gpu()) {
  const std::array<Bytes, 2> buffers{8 * kMiB, 8 * kMiB};
  const std::array<RingPass, 1> passes{pass};
  auto program = std::make_unique<Program>();
  build_ring_program(buffers, passes, *program);
  return stall(*program, 0, on);
}

constexpr RingPass kByAll{.share = RingShare::part, .ctas = 132};

std::unique_ptr<Program> standard(std::string_view variant) {
  const Algorithm& algorithm = find_algorithm("standard");
  auto program = std::make_unique<Program>();
  build_program(algorithm, find_variant(algorithm, variant), Plan{}, *program);
  return program;
}

}  // namespace

TEST(StreamStall, IsWhatTheL2WouldHaveGivenMeanwhile) { EXPECT_NEAR(stall_of(kByAll), 10.0 / 4 - 1, 1e-12); }

// Each byte that a copy loads brings one that it stores, which DRAM has to take as well.
TEST(StreamStall, OfACopyCountsWhatItStores) {
  RingPass copy = kByAll;
  copy.copies_to = 1;
  EXPECT_NEAR(stall_of(copy), 2 * (10.0 / 2.5 - 1), 1e-12);
}

// What hardly stores hardly turns DRAM round: the rate of loads.
TEST(StreamStall, TakesTheRateOfCopiesOnlyWhereALaunchKeepsStoring) {
  RingPass copy = kByAll;
  copy.copies_to = 1;
  const std::array<Bytes, 2> buffers{8 * kMiB, 8 * kMiB};
  const std::array<RingPass, 1> passes{copy};
  auto program = std::make_unique<Program>();
  build_ring_program(buffers, passes, *program);
  Traffic traffic;
  count_traffic(*program, traffic);
  traffic.launches[0].tensors[1].l2.write = traffic.launches[0].tensors[0].l2.read / 8;
  EXPECT_NEAR(stream_stall(*program, traffic, 0, gpu()), (1 + 1.0 / 8) * (10.0 / 4 - 1), 1e-12);
}

TEST(StreamStall, FollowsAChangedBandwidth) {
  RingPass copy = kByAll;
  copy.copies_to = 1;
  const GpuSpec faster = load_gpu("h200+hbm.bandwidth=9780GB/s");
  EXPECT_NEAR(stall_of(kByAll, faster), 0, 1e-12);
  EXPECT_NEAR(stall_of(copy, faster), 0, 1e-12);
}

TEST(StreamStall, IsNoneWhereDramKeepsUp) {
  RingPass few = kByAll;
  few.ctas = 66;
  EXPECT_NEAR(stall_of(few), 5.0 / 4 - 1, 1e-12);
  few.ctas = 33;
  EXPECT_EQ(stall_of(few), 0);
  RingPass store = kByAll;
  store.operation = Operation::store;
  EXPECT_EQ(stall_of(store), 0);
}

TEST(StreamStall, IsUnknownWithoutTheRateOfTheL2) {
  GpuSpec unmeasured = gpu();
  unmeasured.l2_bytes_per_s.reset();
  EXPECT_EQ(stall_of(kByAll, unmeasured), 0);
}

// The data sheet's bandwidth where nobody measured it.
TEST(StreamStall, TakesPublishedBandwidthForMeasured) {
  GpuSpec unmeasured = gpu();
  unmeasured.hbm_bytes_per_s_measured.reset();
  EXPECT_NEAR(stall_of(kByAll, unmeasured), 10e12 / unmeasured.hbm_bytes_per_s.value - 1, 1e-12);
}

// Our softmax keeps up with DRAM, products and other people's softmax do not.
TEST(StreamStall, IsThatOfLaunchesThatOnlyMoveBytes) {
  const auto ours = standard("mma");
  EXPECT_EQ(stall(*ours, 0, gpu()), 0);
  EXPECT_NEAR(stall(*ours, 1, gpu()), 2 * (10.0 / 2.5 - 1), 1e-12);
  EXPECT_EQ(stall(*ours, 2, gpu()), 0);
  EXPECT_EQ(stall(*standard("eager"), 1, gpu()), 0);
}

}  // namespace hbmscope
