#include "sim/l2/write_back_delay.h"

#include <gtest/gtest.h>

#include <memory>

#include "sim/algorithms/algorithm.h"
#include "tests/sim/l2/one_pass.h"

namespace hbmscope::test {
namespace {

const GpuSpec& h200() {
  static const GpuSpec gpu = load_gpu("h200");
  return gpu;
}

Bytes delay(const Program& program, int launch) {
  Traffic traffic;
  count_traffic(program, traffic);
  return write_back_delay(program, traffic, launch, h200(), l2_geometry(h200()));
}

Bytes under_way() { return l2_geometry(h200()).under_way_bytes; }

Bytes delay_of(const RingPass& pass) { return delay(*one_pass(pass), 0); }

}  // namespace

// What is under way is stored meanwhile, and a copy loads as much as it stores.
TEST(WriteBackDelay, IsWhatSmsMoveWhileWriteBacksQueue) {
  RingPass store = kByAll;
  store.operation = Operation::store;
  EXPECT_EQ(delay_of(store), under_way());
  RingPass copy = kByAll;
  copy.copies_to = 1;
  EXPECT_EQ(delay_of(copy), 2 * under_way());
}

TEST(WriteBackDelay, IsAsMuchLoadedWhereNothingIsStored) { EXPECT_EQ(delay_of(kByAll), under_way()); }

TEST(WriteBackDelay, IsAsMuchAsFewSmsMoveMeanwhile) {
  RingPass few = kByAll;
  few.ctas = 33;
  EXPECT_EQ(delay_of(few), under_way() / 4);
  few.copies_to = 1;
  EXPECT_EQ(delay_of(few), under_way() / 2);
}

// Between them a launch stores one byte for four that it loads: what is under way for each byte stored on one
// side, half of it on the other.
TEST(WriteBackDelay, AsksWhetherALaunchStores) {
  const auto loads_per_store = [](std::uint64_t reads) {
    RingPass copy = kByAll;
    copy.copies_to = 1;
    const auto program = one_pass(copy);
    Traffic traffic;
    count_traffic(*program, traffic);
    traffic.launches[0].tensors[0].l2.read = reads * traffic.launches[0].tensors[1].l2.write;
    return write_back_delay(*program, traffic, 0, h200(), l2_geometry(h200()));
  };
  EXPECT_EQ(loads_per_store(3), 4 * under_way());
  EXPECT_EQ(loads_per_store(4), 5 * under_way());
  EXPECT_EQ(loads_per_store(5), under_way());
}

// Products leave DRAM time to spare; a library's load ahead. Softmax copies.
TEST(WriteBackDelay, IsShortWhereALaunchDoesProducts) {
  const auto of = [](std::string_view algorithm, std::string_view variant) {
    Plan plan;
    plan.problem.heads = plan.problem.kv_heads = 32;
    plan.problem.head_dim = plan.problem.head_dim_v = 64;
    const Algorithm& found = find_algorithm(algorithm);
    auto program = std::make_unique<Program>();
    build_program(found, find_variant(found, variant), plan, *program);
    return program;
  };
  const auto ours = of("standard", "mma");
  EXPECT_EQ(delay(*ours, 0), 0U);
  EXPECT_EQ(delay(*ours, 1), 2 * under_way());
  EXPECT_EQ(delay(*ours, 2), 0U);
  const auto library = of("standard", "cublas");
  EXPECT_GT(delay(*library, 0), under_way());
  EXPECT_EQ(delay(*library, 1), 2 * under_way());
  EXPECT_EQ(delay(*library, 2), under_way());
  EXPECT_EQ(delay(*of("standard-online", "mma"), 1), 0U);
  EXPECT_EQ(delay(*of("flash1", "mma"), 0), 0U);
  EXPECT_EQ(delay(*of("flash2", "mma"), 0), 0U);
}

}  // namespace hbmscope::test
