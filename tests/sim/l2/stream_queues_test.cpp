#include "sim/l2/stream_queues.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "sim/algorithms/algorithm.h"
#include "tests/sim/l2/one_pass.h"

namespace hbmscope::test {
namespace {

// SMs take 10 TB/s from the L2, DRAM gives 4 TB/s to loads and 2.5 TB/s to copies.
GpuSpec gpu() {
  GpuSpec gpu = load_gpu("h200");
  gpu.l2_bytes_per_s->value = 10e12;
  gpu.hbm_bytes_per_s_measured->value = 4e12;
  gpu.measured.hbm_copy_bytes_per_s->value = 2.5e12;
  return gpu;
}

std::optional<StreamQueues> queues(const Program& program, int launch, const GpuSpec& on) {
  Traffic traffic;
  count_traffic(program, traffic);
  return stream_queues(program, traffic, launch, on);
}

StreamQueues queues_of(const RingPass& pass, const GpuSpec& on = gpu()) {
  return queues(*one_pass(pass), 0, on).value();
}

const TileAccess kHundred{.rows = {0, 10}, .columns = {0, 5}, .element_bytes = 2};

std::unique_ptr<Program> standard(std::string_view variant) {
  const Algorithm& algorithm = find_algorithm("standard");
  auto program = std::make_unique<Program>();
  build_program(algorithm, find_variant(algorithm, variant), Plan{}, *program);
  return program;
}

}  // namespace

TEST(StreamQueues, ServeOneByteAfterAnother) {
  StreamQueues queues{.l2_bytes_per_s = 100, .hbm_bytes_per_s = 10};
  EXPECT_DOUBLE_EQ(queues.end_of(5, kHundred, {}), 6);
  EXPECT_DOUBLE_EQ(queues.end_of(5, kHundred, {.fetched = 40}), 9);
  EXPECT_DOUBLE_EQ(queues.end_of(5.5, kHundred, {}), 8);              // does not wait for DRAM
  EXPECT_DOUBLE_EQ(queues.end_of(6, kHundred, {.fetched = 10}), 10);  // behind the 40
  EXPECT_DOUBLE_EQ(queues.end_of(20, kHundred, {.fetched = 1}), 21);  // both are idle: the L2 takes longer
}

// Write-backs are waited for by those that come later, not by who caused them.
TEST(StreamQueues, LetLoadsWaitBehindWriteBacks) {
  StreamQueues queues{.l2_bytes_per_s = 100, .hbm_bytes_per_s = 10};
  EXPECT_DOUBLE_EQ(queues.end_of(0, kHundred, {.written_back = 50}), 1);
  EXPECT_DOUBLE_EQ(queues.end_of(1, kHundred, {}), 2);
  EXPECT_DOUBLE_EQ(queues.end_of(2, kHundred, {.fetched = 10}), 6);
}

// Who stores waits for no answer; those behind a load in the queue do not wait for its latency.
TEST(StreamQueues, AnswerALatencyLater) {
  StreamQueues queues{.l2_bytes_per_s = 100, .hbm_bytes_per_s = 10, .l2_latency_s = 0.5, .hbm_latency_s = 2};
  EXPECT_DOUBLE_EQ(queues.end_of(0, kHundred, {}), 1.5);
  EXPECT_DOUBLE_EQ(queues.end_of(0, kHundred, {.fetched = 30}), 5);
  EXPECT_DOUBLE_EQ(queues.end_of(0, kHundred, {.fetched = 10}), 6);
  TileAccess store = kHundred;
  store.operation = Operation::store;
  EXPECT_DOUBLE_EQ(queues.end_of(0, store, {.written_back = 10}), 4);
}

TEST(StreamQueues, HaveTheRatesOfTheGpu) {
  const StreamQueues loads = queues_of(kByAll);
  EXPECT_EQ(loads.l2_bytes_per_s, 10e12);
  EXPECT_EQ(loads.hbm_bytes_per_s, 4e12);
  RingPass copy = kByAll;
  copy.copies_to = 1;
  EXPECT_EQ(queues_of(copy).hbm_bytes_per_s, 2.5e12);
  RingPass store = kByAll;
  store.operation = Operation::store;
  EXPECT_EQ(queues_of(store).hbm_bytes_per_s, 2.5e12);
  EXPECT_NEAR(queues_of(kByAll, load_gpu("h200+hbm.bandwidth=9780GB/s")).hbm_bytes_per_s, 9.78e12, 1);
}

// Loads alone are asked for ahead.
TEST(StreamQueues, HaveLatenciesWhereALaunchStores) {
  RingPass copy = kByAll;
  copy.copies_to = 1;
  EXPECT_NEAR(queues_of(copy).l2_latency_s, 304 / 1.98e9, 1e-15);
  EXPECT_NEAR(queues_of(copy).hbm_latency_s, 704 / 1.98e9, 1e-15);
  EXPECT_EQ(queues_of(kByAll).l2_latency_s, 0);
  EXPECT_EQ(queues_of(kByAll).hbm_latency_s, 0);
  GpuSpec without = gpu();
  without.measured.l2_latency_clocks.reset();
  EXPECT_EQ(queues_of(copy, without).l2_latency_s, 0);
}

// What hardly stores hardly turns DRAM round: the rate of loads.
TEST(StreamQueues, TakeTheRateOfCopiesOnlyWhereALaunchKeepsStoring) {
  RingPass copy = kByAll;
  copy.copies_to = 1;
  const auto program = one_pass(copy);
  Traffic traffic;
  count_traffic(*program, traffic);
  traffic.launches[0].tensors[1].l2.write = traffic.launches[0].tensors[0].l2.read / 8;
  EXPECT_EQ(stream_queues(*program, traffic, 0, gpu())->hbm_bytes_per_s, 4e12);
}

// A quarter of the SMs takes a quarter from the L2, and all that DRAM gives.
TEST(StreamQueues, OfFewSmsHaveTheirPartOfTheL2) {
  RingPass few = kByAll;
  few.ctas = 33;
  EXPECT_EQ(queues_of(few).l2_bytes_per_s, 2.5e12);
  EXPECT_EQ(queues_of(few).hbm_bytes_per_s, 4e12);
}

TEST(StreamQueues, AreUnknownWithoutTheRateOfTheL2) {
  GpuSpec unmeasured = gpu();
  unmeasured.l2_bytes_per_s.reset();
  EXPECT_FALSE(queues(*standard("mma"), 1, unmeasured));
}

// The data sheet's bandwidth where nobody measured it.
TEST(StreamQueues, TakePublishedBandwidthForMeasured) {
  GpuSpec unmeasured = gpu();
  unmeasured.hbm_bytes_per_s_measured.reset();
  EXPECT_EQ(queues_of(kByAll, unmeasured).hbm_bytes_per_s, unmeasured.hbm_bytes_per_s.value);
}

// Our softmax keeps up with DRAM, products and other people's softmax do not.
TEST(StreamQueues, AreThoseOfLaunchesThatOnlyMoveBytes) {
  const auto ours = standard("mma");
  EXPECT_FALSE(queues(*ours, 0, gpu()));
  EXPECT_TRUE(queues(*ours, 1, gpu()));
  EXPECT_FALSE(queues(*ours, 2, gpu()));
  EXPECT_FALSE(queues(*standard("eager"), 1, gpu()));
}

}  // namespace hbmscope::test
