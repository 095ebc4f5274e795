// Totals of the registered algorithms, derived by hand or published.
#include "sim/traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"
#include "tests/sim/random_programs.h"

namespace hbmscope {
namespace {

struct Counted {
  Program program;
  Traffic traffic;
  TensorTraffic total;
};

void count(std::string_view algorithm, std::string_view variant, const Plan& plan, Counted& counted) {
  const Algorithm& found = find_algorithm(algorithm);
  build_program(found, find_variant(found, variant), plan, counted.program);
  count_traffic(counted.program, counted.traffic);
  counted.total = total_of(counted.traffic);
}

// GPT-2 medium as in Fig. 2 of the FlashAttention paper.
Plan gpt2_medium(std::int64_t bc) {
  Plan plan;
  plan.problem = {.batch = 64,
                  .heads = 16,
                  .kv_heads = 16,
                  .seqlen_q = 1024,
                  .seqlen_kv = 1024,
                  .head_dim = 64,
                  .head_dim_v = 64,
                  .dtype = DataType::fp16};
  plan.tile = {.br = 64, .bc = bc};
  return plan;
}

std::uint64_t useful_flops(const Traffic& traffic) {
  std::uint64_t flops = 0;
  for (const LaunchTraffic& launch : traffic.launches) flops += launch.flops;
  return flops;
}

}  // namespace

// Under GQA K and V are read once per KV head by standard's paper count.
TEST(Standard, PaperReadsKeysAndValuesOncePerKvHead) {
  Plan plan = gpt2_medium(64);
  plan.problem.kv_heads = 4;
  Counted counted;
  count("standard", "paper", plan, counted);
  EXPECT_EQ(counted.traffic.launches[0].tensors[1].l2.read, 64U * 4 * 1024 * 64 * 2);
  EXPECT_EQ(counted.traffic.launches[2].tensors[2].l2.read, 64U * 4 * 1024 * 64 * 2);
}

// Q once and K, V once per q tile: 16 heads x (16384 + 2 x 128 q tiles x 16384) rows of 256 B.
TEST(Flash2, ReadsWhatIsKnownOfFa2) {
  Plan plan;
  plan.problem = {.heads = 16, .kv_heads = 16, .seqlen_q = 16384, .seqlen_kv = 16384};
  plan.tile = {.br = 128, .bc = 64};
  Counted counted;
  count("flash2", "mma", plan, counted);
  EXPECT_EQ(counted.total.l2.read, 17'246'978'048U);
  // O in bf16 and LSE in fp32, once.
  EXPECT_EQ(counted.total.l2.write, 16U * 16384 * (128 * 2 + 4));
  EXPECT_EQ(counted.total.compulsory.read, 3U * 16 * 16384 * 128 * 2);
  EXPECT_EQ(counted.total.compulsory.write, counted.total.l2.write);
  EXPECT_EQ(useful_flops(counted.traffic), std::uint64_t{4} * 128 * 16 * 16384 * 16384);
}

// Causal: q tile i of 128 rows sees 2 (i + 1) tiles of 64 keys.
TEST(Flash2, CausalStopsAtTheDiagonal) {
  Plan plan;
  plan.problem = {.heads = 2, .kv_heads = 2, .seqlen_q = 512, .seqlen_kv = 512, .mask = Mask::causal};
  plan.tile = {.br = 128, .bc = 64};
  Counted counted;
  count("flash2", "mma", plan, counted);
  const std::uint64_t key_rows = 64 * (2 + 4 + 6 + 8);
  EXPECT_EQ(counted.total.l2.read, 2U * (512 + 2 * key_rows) * 128 * 2);
  EXPECT_EQ(useful_flops(counted.traffic), 2U * 4 * 128 * (512 * 513 / 2));
}

// A window of 100 keys, 64-row tiles: q tile i needs keys from 64 i - 99 to 64 i + 63, so tiles
// max(0, i - 2) to i.
TEST(Flash2, WindowReadsThreeTilesPerRow) {
  Plan plan;
  plan.problem = {.heads = 1,
                  .kv_heads = 1,
                  .seqlen_q = 640,
                  .seqlen_kv = 640,
                  .head_dim = 64,
                  .head_dim_v = 32,
                  .mask = Mask::window,
                  .window = 100};
  plan.tile = {.br = 64, .bc = 64};
  Counted counted;
  count("flash2", "paper", plan, counted);
  const std::uint64_t kv_tiles = 1 + 2 + 8 * 3;
  EXPECT_EQ(counted.total.l2.read, (640U * 64 + kv_tiles * 64 * (64 + 32)) * 2);
  // The first 99 rows see 1 … 99 keys, all others 100.
  EXPECT_EQ(useful_flops(counted.traffic), 2U * (64 + 32) * (99 * 100 / 2 + 541 * 100));
}

// Shared memory of one CTA and one q tile: Br d of Q and, per K/V tile, 2 Bc d are filled; every warp reads
// all of K and V, Q's fragments are read once and kept (16 rows per warp).
TEST(Flash2, SharedMemoryFollowsTheInstructions) {
  Plan plan;
  plan.problem = {.heads = 1, .kv_heads = 1, .seqlen_q = 64, .seqlen_kv = 256};
  plan.problem.head_dim = plan.problem.head_dim_v = 64;
  plan.tile = {.br = 64, .bc = 64};
  Counted counted;
  count("flash2", "mma", plan, counted);
  const std::uint64_t kv_tiles = 4;
  const std::uint64_t warps = 4;
  EXPECT_EQ(counted.total.sram.write, (64U * 64 + kv_tiles * 2 * 64 * 64) * 2);
  EXPECT_EQ(counted.total.sram.read, (64U * 64 + kv_tiles * 2 * warps * 64 * 64) * 2);
}

RC_GTEST_PROP(UsefulFlops, AreFourDPerVisiblePairForward, ()) {
  Plan plan = *test::any_plan();
  plan.problem.direction = Direction::forward;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      const Plan taken = test::taken_of(variant, plan);
      const Problem& p = taken.problem;
      const std::uint64_t pairs = visible_pairs(p, 0, p.seqlen_q, 0, p.seqlen_kv);
      const auto expected =
          static_cast<std::uint64_t>(p.batch * p.heads * 2 * (p.head_dim + p.head_dim_v)) * pairs;
      Counted counted;
      count(algorithm->name, variant.name, taken, counted);
      RC_LOG(std::string(algorithm->name) + " " + std::string(variant.name));
      RC_ASSERT(useful_flops(counted.traffic) == expected);
    }
  }
}

// Backward: dV and dP of depth dv, dQ and dK of depth d; what keeps neither S nor P computes S again.
RC_GTEST_PROP(UsefulFlops, AreFourProductsBackwardAndOneMoreWhereNothingWasKept, ()) {
  Plan plan = *test::any_plan();
  plan.problem.direction = Direction::backward;
  const Problem& p = plan.problem;
  const std::uint64_t pairs = visible_pairs(p, 0, p.seqlen_q, 0, p.seqlen_kv);
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (!variant.takes.backward) continue;
      Counted counted;
      count(algorithm->name, variant.name, test::taken_of(variant, plan), counted);
      const std::int64_t again = algorithm->name.starts_with("flash") ? p.head_dim : 0;
      const auto per_pair = static_cast<std::uint64_t>(2 * (2 * p.head_dim + 2 * p.head_dim_v + again));
      RC_LOG(std::string(algorithm->name) + " " + std::string(variant.name));
      RC_ASSERT(useful_flops(counted.traffic) ==
                static_cast<std::uint64_t>(p.batch * p.heads) * pairs * per_pair);
    }
  }
}

// Both directions are the launches of the one and then those of the other.
RC_GTEST_PROP(Directions, AddUp, ()) {
  const Plan plan = *test::any_plan();
  const auto counted_of = [&](const Algorithm& algorithm, const Variant& variant, Direction direction) {
    Plan directed = test::taken_of(variant, plan);
    directed.problem.direction = direction;
    directed.kv_walk = Walk::up;
    auto counted = std::make_unique<Counted>();
    count(algorithm.name, variant.name, directed, *counted);
    return counted;
  };
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (!variant.takes.backward) continue;
      const auto forward = counted_of(*algorithm, variant, Direction::forward);
      const auto backward = counted_of(*algorithm, variant, Direction::backward);
      const auto both = counted_of(*algorithm, variant, Direction::both);
      RC_LOG(std::string(algorithm->name) + " " + std::string(variant.name));
      RC_ASSERT(both->program.launches.size() ==
                forward->program.launches.size() + backward->program.launches.size());
      RC_ASSERT(both->total.l2.read == forward->total.l2.read + backward->total.l2.read);
      RC_ASSERT(both->total.l2.write == forward->total.l2.write + backward->total.l2.write);
      RC_ASSERT(both->total.io.read == forward->total.io.read + backward->total.io.read);
      RC_ASSERT(both->total.io.write == forward->total.io.write + backward->total.io.write);
      RC_ASSERT(useful_flops(both->traffic) ==
                useful_flops(forward->traffic) + useful_flops(backward->traffic));
      // What one wrote, the other finds in an infinite cache.
      RC_ASSERT(both->total.compulsory.read <=
                forward->total.compulsory.read + backward->total.compulsory.read);
    }
  }
}

// Packed heads and a batch of sequences compute the same pairs.
RC_GTEST_PROP(UsefulFlops, DoNotDependOnPacking, ()) {
  const Plan plan = *test::any_plan();
  const Problem& p = plan.problem;
  test::BuiltProgram built;
  test::build_packed_gqa(plan, built);
  Traffic traffic;
  count_traffic(built.program, traffic);
  const std::uint64_t pairs = visible_pairs(p, 0, p.seqlen_q, 0, p.seqlen_kv);
  RC_ASSERT(useful_flops(traffic) ==
            static_cast<std::uint64_t>(p.batch * p.heads * 2 * (p.head_dim + p.head_dim_v)) * pairs);
}

// 2^30 heads, 2^30 keys and 2^30 columns are more bytes than 64 bits count: an error, not a small number.
TEST(Overflow, IsAnErrorAndNeverWraps) {
  Plan plan;
  plan.problem = {.batch = kLargestSize,
                  .heads = kLargestSize,
                  .kv_heads = kLargestSize,
                  .seqlen_q = kLargestSize,
                  .seqlen_kv = kLargestSize,
                  .head_dim = kLargestSize,
                  .head_dim_v = kLargestSize};
  plan.tile = {.br = kLargestSize, .bc = kLargestSize};
  check_problem(plan.problem);
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      auto counted = std::make_unique<Counted>();
      EXPECT_THROW(count(algorithm->name, variant.name, plan, *counted), UserError)
          << algorithm->name << " " << variant.name;
      EXPECT_THROW(footprint_bytes(counted->program), UserError);
    }
  }
}

// Close to the limit the counts are still right: 2^60 bytes of Q.
TEST(Overflow, CountsUpToTheLimitAreExact) {
  Plan plan;
  plan.problem = {.heads = 1 << 10, .kv_heads = 1, .seqlen_q = 1 << 30, .seqlen_kv = 1};
  plan.problem.head_dim = 1 << 20;
  plan.problem.head_dim_v = 1;
  plan.problem.dtype = DataType::fp8;
  plan.tile = {.br = 1 << 30, .bc = 1};
  Counted counted;
  count("flash2", "paper", plan, counted);
  EXPECT_EQ(counted.traffic.launches[0].tensors[0].l2.read, std::uint64_t{1} << 60);
}

}  // namespace hbmscope
