// Backward passes of kernels, tile by tile: one concrete shape for each, its bytes derived by hand. What the
// papers count stands in published_numbers_test.cpp.
#include <gtest/gtest.h>

#include "sim/algorithms/algorithm.h"
#include "sim/stream.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

using U = std::uint64_t;

constexpr U kD = 64;

struct Counted {
  Program program;
  Traffic traffic;
  TensorTraffic total;
};

// Heads of d = 64, bf16, tiles of 64 rows of Q and 128 of K and V.
Plan plan_of(std::int64_t heads, std::int64_t kv_heads, std::int64_t seqlen_q, std::int64_t seqlen_kv) {
  Plan plan;
  plan.problem = {.heads = heads,
                  .kv_heads = kv_heads,
                  .seqlen_q = seqlen_q,
                  .seqlen_kv = seqlen_kv,
                  .head_dim = kD,
                  .head_dim_v = kD,
                  .direction = Direction::backward};
  plan.tile = {.br = 64, .bc = 128};
  return plan;
}

void count(std::string_view algorithm, const Plan& plan, Counted& counted, std::string_view variant = "mma") {
  const Algorithm& found = find_algorithm(algorithm);
  build_program(found, find_variant(found, variant), plan, counted.program);
  check_program(counted.program);
  count_traffic(counted.program, counted.traffic);
  counted.total = total_of(counted.traffic);
}

void expect_bytes(const ReadWrite& bytes, U read, U write) {
  EXPECT_EQ(bytes.read, read);
  EXPECT_EQ(bytes.write, write);
}

// Bytes that the launch over K/V blocks moves if its blocks see `rows` rows of Q in all and `keys` keys are
// loaded, of `all_keys` keys: K, V and dK, dV; for each row Q, dO (bf16), LSE, dPsum (fp32) and dQ (fp32,
// added).
void expect_blocks(const Counted& counted, U keys, U all_keys, U rows) {
  expect_bytes(total_of(counted.traffic.launches[1]).l2, 2 * keys * kD * 2 + rows * (2 * kD * 2 + 2 * 4),
               2 * all_keys * kD * 2 + rows * kD * 4);
}

}  // namespace

// MHA, 3 heads of N = 256: Tc = 2 K/V blocks.
TEST(Flash2Backward, GathersDqInFp32) {
  const U n = 256;
  const U heads = 3;
  const U blocks = 2;
  Counted counted;
  count("flash2", plan_of(3, 3, 256, 256), counted);
  ASSERT_EQ(counted.traffic.launches.count(), 3);
  // O and dO read; dPsum (fp32) and the cleared sums of dQ (fp32) written.
  expect_bytes(total_of(counted.traffic.launches[0]).l2, heads * 2 * n * kD * 2,
               heads * (n * 4 + n * kD * 4));
  expect_blocks(counted, heads * n, heads * n, heads * blocks * n);
  // The conversion reads the sums and writes dQ.
  expect_bytes(total_of(counted.traffic.launches[2]).l2, heads * n * kD * 4, heads * n * kD * 2);
  // Without a cache, an atomic add reads what it adds to.
  EXPECT_EQ(counted.total.io.read, counted.total.l2.read + heads * blocks * n * kD * 4);
  EXPECT_EQ(counted.total.io.write, counted.total.l2.write);
  // Q, K, V, O, dO and LSE read; dQ, dK, dV, dPsum and the sums written once.
  expect_bytes(counted.total.compulsory, heads * (5 * n * kD * 2 + n * 4),
               heads * (3 * n * kD * 2 + n * 4 + n * kD * 4));
  // Five products over all pairs, where the forward pass has two; an exponential for each pair.
  EXPECT_EQ(counted.traffic.launches[1].flops, heads * 5 * 2 * n * n * kD);
  EXPECT_EQ(counted.traffic.launches[1].exponentials, heads * n * n);
}

// Block j of 128 keys is seen by q tiles from 2 j on, 4 and 2 of them, walked from the last one up.
TEST(Flash2Backward, CausalStartsAtTheDiagonal) {
  Plan plan = plan_of(1, 1, 256, 256);
  plan.problem.mask = Mask::causal;
  Counted counted;
  count("flash2", plan, counted);
  expect_blocks(counted, 256, 256, (4 + 2) * 64);
  EXPECT_EQ(counted.traffic.launches[1].flops, 5 * 2 * kD * (256 * 257 / 2));
  std::vector<std::int64_t> first_rows;
  visit_stream(counted.program, [&](const TileAccess& access) {
    if (access.launch == 1 && access.operation == Operation::reduce) first_rows.push_back(access.rows.begin);
  });
  EXPECT_EQ(first_rows, (std::vector<std::int64_t>{192, 128, 64, 0, 192, 128}));
}

// 128 queries at the end of 640 keys with a window of 100: keys from 640 - 128 - 99 = 413 on are seen. Blocks
// 0 to 2 (keys below 384) are loaded by nobody, yet their dK and dV are written: zeros. Block 3 (384 … 511)
// is seen by rows below 511 - 512 + 100 = 99, both q tiles; block 4 by both.
TEST(Flash2Backward, LeavesOutBlocksBeforeTheWindow) {
  Plan plan = plan_of(1, 1, 128, 640);
  plan.problem.mask = Mask::window;
  plan.problem.window = 100;
  Counted counted;
  count("flash2", plan, counted);
  expect_blocks(counted, 2 * 128, 640, (2 + 2) * 64);
  EXPECT_EQ(counted.traffic.launches[1].flops, U{5} * 2 * kD * 128 * 100);
}

// 4 query heads on 2 KV heads: every query head loads K and V and writes dK and dV of its own; two more
// launches sum them over each group.
TEST(Flash2Backward, SumsOverTheGroup) {
  const U n = 256;
  Counted counted;
  count("flash2", plan_of(4, 2, 256, 256), counted);
  ASSERT_EQ(counted.traffic.launches.count(), 5);
  expect_blocks(counted, 4 * n, 4 * n, 4 * 2 * n);
  for (const int launch : {3, 4}) {
    expect_bytes(total_of(counted.traffic.launches[launch]).l2, 4 * n * kD * 2, 2 * n * kD * 2);
  }
}

// Algorithm 2 of Dao 2023, dQ added atomically: O, dO read, D written and dQ cleared; K, V read and dK, dV
// written; for each of the Tc blocks Q and dO read, dQ read and written, LSE and D read.
TEST(Flash2Backward, PaperCountsElementsOfTheProblemsSize) {
  const U n = 1024;
  const U blocks = 8;
  Counted counted;
  count("flash2", plan_of(3, 3, 1024, 1024), counted, "paper");
  EXPECT_EQ(counted.total.io.read + counted.total.io.write,
            3 * ((7 + 4 * blocks) * n * kD + (1 + 2 * blocks) * n) * 2);
}

// The same with dQ gathered in fp32, cleared once and read once, and LSE and dPsum in fp32.
TEST(Flash2Backward, KernelsAddInFp32) {
  const U n = 1024;
  const U blocks = 8;
  Counted counted;
  count("flash2", plan_of(3, 3, 1024, 1024), counted);
  EXPECT_EQ(counted.total.io.read + counted.total.io.write,
            3 * ((7 + 2 * blocks) * n * kD * 2 + (2 + 2 * blocks) * n * kD * 4 + (1 + 2 * blocks) * n * 4));
}

// MHA, Tr = 16 and Tc = 8: three launches read dO or Q for every K/V tile, two read K or V for every q tile.
TEST(StandardBackward, IsTheFormulaOfItsTiles) {
  const U n = 1024;
  Counted counted;
  count("standard", plan_of(3, 3, 1024, 1024), counted);
  EXPECT_EQ(counted.total.io.read + counted.total.io.write,
            3 * (7 * n * n + (3 + 3 * 8 + 2 * 16) * n * kD) * 2);
}

// Tr = 4, Tc = 2, 4 query heads on 2 KV heads. dP, dQ and the like read their operands tile by tile.
TEST(StandardBackward, ReadsTilesOfItsOperands) {
  const U n = 256;
  const U scores = 4 * n * n * 2;
  const U query_rows = 4 * n * kD * 2;
  const U key_rows = 2 * n * kD * 2;
  const U q_tiles = 4;
  const U kv_tiles = 2;
  Counted counted;
  count("standard", plan_of(4, 2, 256, 256), counted);
  ASSERT_EQ(counted.traffic.launches.count(), 5);
  const auto bytes = [&](int launch) { return total_of(counted.traffic.launches[launch]).l2; };
  expect_bytes(bytes(0), scores + kv_tiles * query_rows, key_rows);                // dV = PᵀdO
  expect_bytes(bytes(1), kv_tiles * query_rows + q_tiles * 2 * key_rows, scores);  // dP = dO Vᵀ
  expect_bytes(bytes(2), 2 * scores, scores);                                      // dS
  expect_bytes(bytes(3), scores + q_tiles * 2 * key_rows, query_rows);             // dQ = dS K
  expect_bytes(bytes(4), scores + kv_tiles * query_rows, key_rows);                // dK = dSᵀQ
  // Q, K, V, dO and the stored P come in; dQ, dK, dV, dP and dS go out.
  expect_bytes(counted.total.compulsory, 2 * query_rows + 2 * key_rows + scores,
               query_rows + 2 * key_rows + 2 * scores);
}

}  // namespace hbmscope
