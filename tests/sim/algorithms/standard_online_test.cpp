// Bytes of standard-online tensor by tensor: S is written once and read once, P goes to no memory.
#include <gtest/gtest.h>

#include <string>

#include "sim/algorithms/algorithm.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

using U = std::uint64_t;

struct Counted {
  Program program;
  Traffic traffic;

  Counted(std::string_view variant, const Problem& problem, const Tile& tile) {
    const Algorithm& online = find_algorithm("standard-online");
    build_program(online, find_variant(online, variant), {.problem = problem, .tile = tile}, program);
    check_program(program);
    count_traffic(program, traffic);
  }

  void expect(int launch, std::string_view name, U read, U write) const {
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      if (program.tensors[tensor].name != name) continue;
      const ReadWrite& l2 = traffic.launches[launch].tensors[tensor].l2;
      EXPECT_EQ(l2.read, read) << name;
      EXPECT_EQ(l2.write, write) << name;
      return;
    }
    ADD_FAILURE() << "no tensor " << name;
  }
};

}  // namespace

// 6 query heads on 2 KV heads, N = 256, d = 64, tiles of 128 x 64: 2 q tiles, 4 kv tiles.
TEST(StandardOnlineMma, MovesScoresOnceAndStatisticsOfEveryTile) {
  const U heads = 6;
  const U n = 256;
  const U d = 64;
  const U q_tiles = 2;
  const U kv_tiles = 4;
  const Counted counted(
      "mma", {.heads = 6, .kv_heads = 2, .seqlen_q = 256, .seqlen_kv = 256, .head_dim = 64, .head_dim_v = 64},
      {.br = 128, .bc = 64});
  counted.expect(0, "Q", heads * n * d * 2, 0);
  counted.expect(0, "K", heads * q_tiles * n * d * 2, 0);
  counted.expect(0, "S", 0, heads * n * n * 2);
  counted.expect(0, "m", 0, heads * kv_tiles * n * 4);
  counted.expect(0, "l", 0, heads * kv_tiles * n * 4);
  counted.expect(1, "S", heads * n * n * 2, 0);
  counted.expect(1, "m", heads * kv_tiles * n * 4, 0);
  counted.expect(1, "l", heads * kv_tiles * n * 4, 0);
  counted.expect(1, "V", heads * q_tiles * n * d * 2, 0);
  counted.expect(1, "O", 0, heads * n * d * 2);
  // 4 warps of 32 rows: each reads its rows of Q or S, and the whole tile of K or V.
  const ReadWrite scores = total_of(counted.traffic.launches[0]).sram;
  EXPECT_EQ(scores.read, heads * q_tiles * kv_tiles * (128 + U{4} * 64) * d * 2);
  EXPECT_EQ(scores.write, heads * q_tiles * (128 + kv_tiles * 64) * d * 2);
  const ReadWrite output = total_of(counted.traffic.launches[1]).sram;
  EXPECT_EQ(output.read, heads * q_tiles * kv_tiles * (128 * U{64} + 4 * 64 * d) * 2);
  EXPECT_EQ(output.write, heads * q_tiles * kv_tiles * (128 * U{64} + 64 * d) * 2);
}

// 100 keys: rows of S of 128 elements, of which kv tiles of 48 cover 3, 2 and a bit of them keys; 3 tiles
// hold keys. 70 queries: 72 floats of m and l. The whole square is computed under the mask.
TEST(StandardOnlineMma, RaggedRowsMoveWholeSectors) {
  const Counted counted("mma",
                        {.heads = 1,
                         .kv_heads = 1,
                         .seqlen_q = 70,
                         .seqlen_kv = 100,
                         .head_dim = 128,
                         .head_dim_v = 128,
                         .mask = Mask::causal},
                        {.br = 64, .bc = 48});
  counted.expect(0, "S", 0, 70 * 128 * 2);
  counted.expect(0, "m", 0, 3 * 72 * 4);
  counted.expect(1, "S", 70 * 128 * 2, 0);
  counted.expect(1, "l", 3 * 72 * 4, 0);
  counted.expect(1, "V", 2 * 100 * 128 * 2, 0);
}

// 16 keys in a row of S of 64: the tiles of padding alone have no statistics.
TEST(StandardOnlineMma, TilesOfPaddingHaveNoStatistics) {
  const Counted counted(
      "mma", {.heads = 1, .kv_heads = 1, .seqlen_q = 64, .seqlen_kv = 16, .head_dim = 64, .head_dim_v = 64},
      {.br = 64, .bc = 16});
  counted.expect(0, "S", 0, 64 * 64 * 2);
  counted.expect(0, "m", 0, 64 * 4);
  counted.expect(1, "m", 64 * 4, 0);
  counted.expect(1, "S", 64 * 16 * 2, 0);
}

// 2 N² + 4 N d + 4 N elements.
TEST(StandardOnlinePaper, ReadsEachOperandOnce) {
  const U n = 512;
  const U d = 64;
  const Counted counted(
      "paper",
      {.heads = 3, .kv_heads = 3, .seqlen_q = 512, .seqlen_kv = 512, .head_dim = 64, .head_dim_v = 64}, {});
  const TensorTraffic total = total_of(counted.traffic);
  EXPECT_EQ(total.io.read + total.io.write, 3 * (2 * n * n + 4 * n * d + 4 * n) * 2);
}

}  // namespace hbmscope
