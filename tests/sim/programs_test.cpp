// What the representation carries without a change to traffic code: one concrete shape for each, its bytes
// derived by hand. The identities hold for all of them too (identities_test.cpp).
#include "tests/sim/programs/programs.h"

#include <gtest/gtest.h>

#include "sim/algorithms/build.h"
#include "sim/stream.h"
#include "sim/traffic.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

using U = std::uint64_t;

Plan plan_of(const Problem& problem, std::int64_t br, std::int64_t bc) {
  return {.problem = problem, .tile = {.br = br, .bc = bc}};
}

void expect_bytes(const ReadWrite& counted, U read, U write) {
  EXPECT_EQ(counted.read, read);
  EXPECT_EQ(counted.write, write);
}

Traffic traffic_of(const BuiltProgram& built) {
  check_program(built.program);
  Traffic traffic;
  count_traffic(built.program, traffic);
  return traffic;
}

}  // namespace

// Decode of one query against 1000 keys, 8 heads, 4 splits of 64-key tiles: 16 tiles, 4 for each split.
TEST(Programs, SplitKvWithCombine) {
  const U heads = 8;
  const U keys = 1000;
  const U d = 128;
  const U splits = 4;
  Plan plan = plan_of({.heads = 8, .kv_heads = 8, .seqlen_q = 1, .seqlen_kv = 1000}, 16, 64);
  plan.tile.splits = 4;
  BuiltProgram built;
  build_split_kv(plan, built);
  const Traffic traffic = traffic_of(built);
  // Every split reads the query; K and V are read once among them. Each writes O and LSE in fp32.
  expect_bytes(total_of(traffic.launches[0]).l2, heads * (splits * d * 2 + 2 * keys * d * 2),
               heads * splits * (d + 1) * 4);
  expect_bytes(total_of(traffic.launches[1]).l2, heads * splits * (d + 1) * 4, heads * (d * 2 + 4));
  // Flash-Decoding's extra traffic: 2 splits (d + 1) 4 B for each row.
  const TensorTraffic total = total_of(traffic);
  EXPECT_EQ(total.io.read + total.io.write,
            heads * (splits * d * 2 + 2 * keys * d * 2 + d * 2 + 4) + heads * 2 * splits * (d + 1) * 4);
  // The partial results come out of the cache again.
  expect_bytes(total.compulsory, heads * (d * 2 + 2 * keys * d * 2),
               heads * (splits * (d + 1) * 4 + d * 2 + 4));
}

// Causal splits stop at the diagonal: q tile i of 64 sees i + 1 tiles, of which split s takes 2 s and 2 s
// + 1.
TEST(Programs, SplitKvCausal) {
  Plan plan =
      plan_of({.heads = 1, .kv_heads = 1, .seqlen_q = 256, .seqlen_kv = 256, .mask = Mask::causal}, 64, 64);
  plan.tile.splits = 2;
  BuiltProgram built;
  build_split_kv(plan, built);
  const U kv_tiles = 1 + 2 + 3 + 4;
  EXPECT_EQ(total_of(traffic_of(built).launches[0]).l2.read, (U{2} * 256 + kv_tiles * 64 * 2) * 128 * 2);
}

// Two sequences of 100 and 37 tokens in pages of 16; K/V tiles of 64 tokens (four pages) or of 8 (half a
// page). What is read does not depend on which: every valid token once for each of the 4 query heads.
TEST(Programs, PagedDecode) {
  const std::vector<std::int64_t> lengths{100, 37};
  const std::vector<std::vector<std::int64_t>> block_table{{9, 0, 5, 2, 7, 1, 4}, {3, 8, 6}};
  const U tokens = 100 + 37;
  const U d = 128;
  for (const std::int64_t bc : {64, 16, 8}) {
    BuiltProgram built;
    build_paged(
        plan_of({.batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 1, .seqlen_kv = 100, .page_size = 16}, 16,
                bc),
        lengths, block_table, built);
    const Traffic traffic = traffic_of(built);
    const TensorTraffic total = total_of(traffic);
    expect_bytes(total.l2, U{2} * 4 * d * 2 + 4 * tokens * 2 * d * 2, U{2} * 4 * (d * 2 + 4));
    // Two query heads share a KV head.
    EXPECT_EQ(total.compulsory.read, U{2} * 4 * d * 2 + 2 * tokens * 2 * d * 2);
    EXPECT_EQ(traffic.launches[0].flops, U{4} * 4 * d * tokens);
  }
}

// The tokens of the second sequence lie in pages 3, 8 and 6, in that order.
TEST(Programs, PagedReadsGoThroughTheBlockTable) {
  BuiltProgram built;
  build_paged(
      plan_of({.batch = 2, .heads = 1, .kv_heads = 1, .seqlen_q = 1, .seqlen_kv = 16, .page_size = 16}, 16,
              16),
      {16, 37}, {{0}, {3, 8, 6}}, built);
  std::vector<Interval> keys;
  std::vector<std::int64_t> value_pages;
  visit_stream(built.program, [&](const TileAccess& access) {
    if (access.tensor == 1) keys.push_back(access.rows);
    if (access.tensor == 2) value_pages.push_back(access.plane);
  });
  EXPECT_EQ(keys, (std::vector<Interval>{{0, 16}, {48, 64}, {128, 144}, {96, 101}}));
  EXPECT_EQ(value_pages, (std::vector<std::int64_t>{0, 3, 8, 6}));
}

// DeepSeek's decode shape: 128 query heads, a latent of 576 columns whose first 512 are V.
TEST(Programs, MlaReadsItsLatentOnceFromHbm) {
  const U heads = 128;
  const U tokens = 1000;
  BuiltProgram built;
  build_mla(
      plan_of(
          {.heads = 128, .kv_heads = 1, .seqlen_q = 1, .seqlen_kv = 1000, .head_dim = 576, .head_dim_v = 512},
          64, 64),
      built);
  const Traffic traffic = traffic_of(built);
  const TensorTraffic total = total_of(traffic);
  expect_bytes(total.l2, heads * (576 + tokens * (576 + 512)) * 2, heads * (512 * 2 + 4));
  expect_bytes(total.compulsory, (heads * 576 + tokens * 576) * 2, heads * (512 * 2 + 4));
  // V adds nothing to the footprint.
  EXPECT_EQ(footprint_bytes(built.program), (heads * 576 + tokens * 576 + heads * 512) * 2 + heads * 4);
}

// Causal, 4 q tiles: tile 3 has most K/V tiles and starts first; heads stay in order.
TEST(Programs, LongestFirstTakesTheLastTileFirst) {
  BuiltProgram built;
  build_longest_first(
      plan_of({.heads = 2, .kv_heads = 2, .seqlen_q = 256, .seqlen_kv = 256, .mask = Mask::causal}, 64, 64),
      132, built);
  check_program(built.program);
  std::vector<std::int64_t> first_rows;
  visit_stream(built.program, [&](const TileAccess& access) {
    if (access.tensor == 0) first_rows.push_back(access.rows.begin);
  });
  EXPECT_EQ(first_rows, (std::vector<std::int64_t>{192, 192, 128, 128, 64, 64, 0, 0}));
  // The order changes nothing in the totals: 1 + 2 + 3 + 4 tiles of K and V for each head, 256 rows of Q.
  EXPECT_EQ(total_of(traffic_of(built)).l2.read, 2U * (256 + 10 * 64 * 2) * 128 * 2);
}

// Sequences of 100, 1 and 64 rows, one after the other. Tiles of 64: 2, 1 and 1 q tiles.
TEST(Programs, RaggedBatch) {
  BuiltProgram built;
  build_ragged_batch(
      plan_of({.batch = 3, .heads = 2, .kv_heads = 1, .seqlen_q = 100, .seqlen_kv = 100}, 64, 64),
      {100, 1, 64}, built);
  const Traffic traffic = traffic_of(built);
  const TensorTraffic total = total_of(traffic);
  const U d = 128;
  const U rows = 100 + 1 + 64;
  expect_bytes(total.l2, 2 * (rows + U{2} * (2 * 100 + 1 + 64)) * d * 2, 2 * rows * (d * 2 + 4));
  expect_bytes(total.compulsory, (2 * rows + 2 * rows) * d * 2, 2 * rows * (d * 2 + 4));
  EXPECT_EQ(traffic.launches[0].flops, U{2} * 4 * d * (100 * 100 + 1 + 64 * 64));
  // No padding: what the tensors hold is what is moved.
  EXPECT_EQ(footprint_bytes(built.program), total.compulsory.read + total.compulsory.write);
}

TEST(Programs, RaggedCausalBatchComputesTriangles) {
  BuiltProgram built;
  build_ragged_batch(
      plan_of(
          {.batch = 2, .heads = 1, .kv_heads = 1, .seqlen_q = 100, .seqlen_kv = 100, .mask = Mask::causal},
          64, 64),
      {100, 30}, built);
  const Traffic traffic = traffic_of(built);
  EXPECT_EQ(traffic.launches[0].flops, 4U * 128 * (100 * 101 / 2 + 30 * 31 / 2));
  // q tile 0 of the first sequence sees tile 0, q tile 1 both; the second sequence has one of each.
  EXPECT_EQ(total_of(traffic).l2.read, (130U + 2 * (64 + 100 + 30)) * 128 * 2);
}

// 8 query heads on 2 KV heads: K and V cross to the SM once per KV head and q tile, not once per query head.
TEST(Programs, PackedGqaReadsKeysOncePerKvHead) {
  const Problem problem{.heads = 8, .kv_heads = 2, .seqlen_q = 64, .seqlen_kv = 512};
  BuiltProgram packed;
  build_packed_gqa(plan_of(problem, 64, 128), packed);  // 16 positions of 4 heads: 4 q tiles
  const Traffic traffic = traffic_of(packed);
  expect_bytes(total_of(traffic).l2, (8U * 64 + 2 * 4 * 2 * 512) * 128 * 2, U{8} * 64 * (128 * 2 + 4));
  EXPECT_EQ(traffic.launches[0].flops, 8U * 4 * 128 * 64 * 512);
}

// Clusters of 2 q tiles: K and V are read once for every two of the 4 tiles, and fill shared memory twice.
TEST(Programs, MulticastReadsOncePerCluster) {
  BuiltProgram built;
  build_multicast(plan_of({.heads = 2, .kv_heads = 2, .seqlen_q = 256, .seqlen_kv = 512}, 64, 128), 2, built);
  const Traffic traffic = traffic_of(built);
  const TensorTraffic total = total_of(traffic);
  expect_bytes(total.l2, U{2} * (256 + 2 * 2 * 512) * 128 * 2, U{2} * 256 * (128 * 2 + 4));
  EXPECT_EQ(total.io.read, total.l2.read);
  EXPECT_EQ(traffic.launches[0].tensors[1].sram.write, 2U * 4 * 512 * 128 * 2);
}

}  // namespace hbmscope::test
