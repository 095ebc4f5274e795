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

std::uint64_t io_bytes(std::string_view algorithm, const Plan& plan) {
  Counted counted;
  count(algorithm, "paper", plan, counted);
  return counted.total.io.read + counted.total.io.write;
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

// FlashAttention paper, Fig. 2 middle: HBM accesses of the forward pass against Bc.
TEST(PublishedNumbers, Flash1ForwardOfGpt2Medium) {
  for (const auto& [bc, gigabytes] :
       {std::pair{64, 6.98}, std::pair{128, 3.70}, std::pair{256, 2.05}, std::pair{512, 1.23}}) {
    const double predicted = static_cast<double>(io_bytes("flash1", gpt2_medium(bc))) / 1e9;
    EXPECT_NEAR(predicted, gigabytes, 0.01 * gigabytes) << "Bc = " << bc;
  }
}

// Algorithm 1 element by element: K, V and the initial O (Nd each), the initial l and m (N each); for each of
// the Tc blocks Q and O read, O written (Nd each), l and m read and written (N each).
TEST(PublishedNumbers, Flash1IsTheFormulaOfAlgorithm1) {
  const std::uint64_t n = 1024;
  const std::uint64_t d = 64;
  const std::uint64_t heads = 64 * 16;
  for (const std::uint64_t bc : {64U, 96U, 384U, 1024U}) {
    const std::uint64_t blocks = (n + bc - 1) / bc;
    const std::uint64_t elements = 3 * n * d + 2 * n + blocks * (3 * n * d + 4 * n);
    EXPECT_EQ(io_bytes("flash1", gpt2_medium(static_cast<std::int64_t>(bc))), heads * elements * 2);
  }
}

// Algorithm 0: Q, K, V read and O written (4 Nd); S written and read, P written and read (4 N²).
TEST(PublishedNumbers, StandardIsTheFormulaOfAlgorithm0) {
  const std::uint64_t n = 1024;
  const std::uint64_t d = 64;
  EXPECT_EQ(io_bytes("standard", gpt2_medium(64)), 64U * 16 * (4 * n * n + 4 * n * d) * 2);
}

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
  const Plan plan = *test::any_plan();
  const Problem& p = plan.problem;
  const std::uint64_t pairs = visible_pairs(p, 0, p.seqlen_q, 0, p.seqlen_kv);
  const auto expected =
      static_cast<std::uint64_t>(p.batch * p.heads * 2 * (p.head_dim + p.head_dim_v)) * pairs;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      Counted counted;
      count(algorithm->name, variant.name, plan, counted);
      RC_LOG(std::string(algorithm->name) + " " + std::string(variant.name));
      RC_ASSERT(useful_flops(counted.traffic) == expected);
    }
  }
}

// Backward: five products, of depth d for S, dK, dQ and dv for dP, dV.
RC_GTEST_PROP(UsefulFlops, AreFiveProductsBackward, ()) {
  const Plan plan = *test::any_plan();
  const Problem& p = plan.problem;
  test::BuiltProgram built;
  test::build_flash2_backward(plan, built);
  Traffic traffic;
  count_traffic(built.program, traffic);
  const std::uint64_t pairs = visible_pairs(p, 0, p.seqlen_q, 0, p.seqlen_kv);
  const auto per_pair = static_cast<std::uint64_t>(2 * (3 * p.head_dim + 2 * p.head_dim_v));
  RC_ASSERT(useful_flops(traffic) == static_cast<std::uint64_t>(p.batch * p.heads) * pairs * per_pair);
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
