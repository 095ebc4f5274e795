// What a framework's autograd adds to the papers' passes, in bytes derived by hand. Its footprints stand in
// published_numbers_test.cpp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <tuple>

#include "sim/algorithms/algorithm.h"
#include "sim/traffic.h"
#include "tests/sim/random_programs.h"
#include "tests/sim/replay.h"

namespace hbmscope {
namespace {

using U = std::uint64_t;

constexpr U kD = 64;
constexpr U kHeads = 3;

struct Counted {
  Program program;
  Traffic traffic;
  TensorTraffic total;
};

// 3 heads of d = 64, bf16, blocks of 128 rows of K and V.
Plan plan_of(std::int64_t n, Direction direction) {
  Plan plan;
  plan.problem = {.heads = kHeads,
                  .kv_heads = kHeads,
                  .seqlen_q = n,
                  .seqlen_kv = n,
                  .head_dim = kD,
                  .head_dim_v = kD,
                  .direction = direction};
  plan.tile = {.br = 64, .bc = 128};
  return plan;
}

void count(std::string_view algorithm, const Plan& plan, Counted& counted) {
  const Algorithm& found = find_algorithm(algorithm);
  build_program(found, find_variant(found, "autograd"), plan, counted.program);
  check_program(counted.program);
  count_traffic(counted.program, counted.traffic);
  counted.total = total_of(counted.traffic);
}

U io_bytes(std::string_view algorithm, U n, Direction direction) {
  Counted counted;
  count(algorithm, plan_of(static_cast<std::int64_t>(n), direction), counted);
  return counted.total.io.read + counted.total.io.write;
}

const TensorTraffic& traffic_of(const Counted& counted, int launch, std::string_view tensor) {
  for (int t = 0; t < counted.program.tensors.count(); ++t) {
    if (counted.program.tensors[t].name == tensor) return counted.traffic.launches[launch].tensors[t];
  }
  throw std::logic_error("no such tensor");
}

}  // namespace

// The forward pass reads Q and K and writes their copies: 4 N d beyond Algorithm 0. Algorithm 3 costs what it
// does without copies.
TEST(Autograd, StandardCopiesQAndKOnce) {
  const U n = 512;
  EXPECT_EQ(io_bytes("standard", n, Direction::forward), kHeads * (4 * n * n + 8 * n * kD) * 2);
  EXPECT_EQ(io_bytes("standard", n, Direction::backward), kHeads * (7 * n * n + 8 * n * kD) * 2);
}

// After the copy, dQ = dS K and dK = dSᵀQ among them, only the copies are read.
TEST(Autograd, StandardReadsTheCopiesInBothPasses) {
  const U n = 512;
  Counted counted;
  count("standard", plan_of(512, Direction::both), counted);
  ASSERT_EQ(counted.traffic.launches.count(), 4 + 5);
  for (const auto& [tensor, copy, forward, backward] :
       {std::tuple{"Q", "Q copy", 1, 8}, std::tuple{"K", "K copy", 1, 7}}) {
    EXPECT_EQ(traffic_of(counted, 0, tensor).l2.read, kHeads * n * kD * 2);
    EXPECT_EQ(traffic_of(counted, 0, copy).l2.write, kHeads * n * kD * 2);
    for (int launch = 1; launch < counted.traffic.launches.count(); ++launch) {
      EXPECT_EQ(traffic_of(counted, launch, tensor).l2.read, 0U);
    }
    for (const int launch : {forward, backward}) {
      EXPECT_EQ(traffic_of(counted, launch, copy).l2.read, kHeads * n * kD * 2);
    }
  }
}

// Algorithm 1 with LSE in fp32 for l and m: the initial O, K and V (N d each) and LSE (N); for each of the Tc
// blocks Q and O read and O written, LSE read and written.
TEST(Autograd, Flash1KeepsLseInFp32) {
  for (const U blocks : {2U, 4U}) {
    const U n = blocks * 128;
    EXPECT_EQ(io_bytes("flash1", n, Direction::forward),
              kHeads * ((3 + 3 * blocks) * n * kD * 2 + (1 + 2 * blocks) * n * 4));
  }
}

// Up to 256 rows of K and V, in N d at 2 B: O and dO for dPsum (2), the initial dQ, dK, dV (3), K, V, dK and
// dV (4), for each block Q, dO and dQ read and dQ written (4), new and old gradients read and their sums
// written (9). In N at 4 B: dPsum written, for each block LSE and dPsum read.
TEST(Autograd, Flash1AddsToTheGradientsOfTheStepBefore) {
  const U n = 256;
  const U blocks = 2;
  EXPECT_EQ(io_bytes("flash1", n, Direction::backward),
            kHeads * ((18 + 4 * blocks) * n * kD * 2 + (1 + 2 * blocks) * n * 4));
  Counted counted;
  count("flash1", plan_of(256, Direction::backward), counted);
  const int last = counted.traffic.launches.count() - 1;
  for (const char* gradient : {"Q.grad", "K.grad", "V.grad"}) {
    const TensorTraffic& bytes = traffic_of(counted, last, gradient);
    EXPECT_EQ(bytes.compulsory.read, kHeads * n * kD * 2);
    EXPECT_EQ(bytes.compulsory.write, kHeads * n * kD * 2);
  }
}

// Beyond, dQ is cleared, read and written in fp32 (1 + 2 Tc) and converted (read at 4 B, written at 2 B).
TEST(Autograd, Flash1GathersDqInFp32BeyondOneBlock) {
  const U n = 384;
  const U blocks = 3;
  EXPECT_EQ(
      io_bytes("flash1", n, Direction::backward),
      kHeads * ((18 + 2 * blocks) * n * kD * 2 + (2 + 2 * blocks) * n * kD * 4 + (1 + 2 * blocks) * n * 4));
}

// The first release's block has 128 rows for heads beyond d = 64.
TEST(Autograd, Flash1LoopsFrom129KeysOnForLongHeads) {
  const auto launches = [](std::int64_t n, std::int64_t d) {
    Plan plan = plan_of(n, Direction::backward);
    plan.problem.head_dim = d;
    Counted counted;
    count("flash1", plan, counted);
    return counted.program.launches.count();
  };
  EXPECT_EQ(launches(256, 64), 5);
  EXPECT_EQ(launches(257, 64), 6);
  EXPECT_EQ(launches(128, 128), 5);
  EXPECT_EQ(launches(129, 128), 6);
}

// The random plans of the other tests have less than 256 keys. With more, under every mask, grouping and
// direction, the counts are those of the replay.
RC_GTEST_PROP(Autograd, Flash1BeyondOneBlockIsItsReplay, ()) {
  Plan plan = *test::any_plan();
  plan.problem.seqlen_kv += 256;
  const Algorithm& flash1 = find_algorithm("flash1");
  Counted counted;
  count("flash1", test::taken_of(find_variant(flash1, "autograd"), plan), counted);
  Traffic replayed;
  test::replay_traffic(counted.program, replayed);
  for (int launch = 0; launch < counted.program.launches.count(); ++launch) {
    for (int tensor = 0; tensor < counted.program.tensors.count(); ++tensor) {
      RC_LOG(std::string(counted.program.tensors[tensor].name));
      const TensorTraffic& closed = counted.traffic.launches[launch].tensors[tensor];
      const TensorTraffic& slow = replayed.launches[launch].tensors[tensor];
      for (const auto boundary : {&TensorTraffic::l2, &TensorTraffic::io, &TensorTraffic::compulsory}) {
        RC_ASSERT((closed.*boundary).read == (slow.*boundary).read);
        RC_ASSERT((closed.*boundary).write == (slow.*boundary).write);
      }
    }
  }
}

}  // namespace hbmscope
