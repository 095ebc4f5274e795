// Bytes of flash1's kernel at the L2, tensor by tensor: O, l and m travel for every K/V tile.
#include <gtest/gtest.h>

#include <string>

#include "sim/algorithms/algorithm.h"
#include "sim/predict.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

using U = std::uint64_t;

struct Counted {
  Program program;
  Traffic traffic;

  Counted(const Problem& problem, const Tile& tile) {
    const Algorithm& flash1 = find_algorithm("flash1");
    build_program(flash1, find_variant(flash1, "mma"), {.problem = problem, .tile = tile}, program);
    check_program(program);
    count_traffic(program, traffic);
  }

  void expect(std::string_view name, U read, U write) const {
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      if (program.tensors[tensor].name != name || program.tensors[tensor].role == Role::on_chip) continue;
      const ReadWrite& l2 = traffic.launches[0].tensors[tensor].l2;
      EXPECT_EQ(l2.read, read) << name;
      EXPECT_EQ(l2.write, write) << name;
      return;
    }
    ADD_FAILURE() << "no tensor " << name;
  }
};

}  // namespace

// Algorithm 1 with 4-byte O, l and m: written at the start, then read and written for each of Tc = 4 tiles of
// 64 keys; the last write of O is in the problem's type.
TEST(Flash1Mma, MovesStateForEveryKeyValueTile) {
  const U heads = 3;
  const U n = 256;
  const U d = 64;
  const U tiles = 4;
  const Counted counted(
      {.heads = 3, .kv_heads = 1, .seqlen_q = 256, .seqlen_kv = 256, .head_dim = 64, .head_dim_v = 64},
      {.br = 128, .bc = 64});
  counted.expect("Q", heads * tiles * n * d * 2, 0);
  counted.expect("K", heads * n * d * 2, 0);
  counted.expect("V", heads * n * d * 2, 0);
  counted.expect("O", 0, heads * n * d * 2);
  counted.expect("O fp32", heads * tiles * n * d * 4, heads * tiles * n * d * 4);
  counted.expect("l", heads * tiles * n * 4, heads * (tiles + 1) * n * 4);
  counted.expect("m", heads * tiles * n * 4, heads * (tiles + 1) * n * 4);
  // 4 warps of 32 rows read K and V for each of the 2 x 4 visits, and their rows of Q once.
  const ReadWrite sram = total_of(counted.traffic).sram;
  EXPECT_EQ(sram.read, heads * 8 * (128 + U{4} * 2 * 64) * d * 2);
  EXPECT_EQ(sram.write, heads * (2 * n + tiles * n) * d * 2);
}

// 256 queries, 128 keys: queries 0 … 127 see nothing. Of the q tiles of 64, K/V tile 1 is seen by tile 3,
// K/V tile 0 by 2 and 3: 3 visits. Tiles 0 and 1 get O = 0 at the start, without O in fp32.
TEST(Flash1Mma, CausalVisitsEndAtTheFirstKeyValueTile) {
  const U row = 64;  // elements
  const Counted counted({.heads = 1,
                         .kv_heads = 1,
                         .seqlen_q = 256,
                         .seqlen_kv = 128,
                         .head_dim = 64,
                         .head_dim_v = 64,
                         .mask = Mask::causal},
                        {.br = 64, .bc = 64});
  counted.expect("Q", 3 * 64 * row * 2, 0);
  counted.expect("K", 128 * row * 2, 0);
  counted.expect("O", 0, 256 * row * 2);
  counted.expect("O fp32", 3 * 64 * row * 4, (2 + 1) * 64 * row * 4);
  counted.expect("l", 3 * 64 * 4, (256 + 3 * 64) * 4);
  counted.expect("m", 3 * 64 * 4, (256 + 3 * 64) * 4);
}

// 70 rows of l and m are 9 sectors of 8 floats; Q and O move their 70 rows. 2 K/V tiles.
TEST(Flash1Mma, RaggedStatisticsAreWholeSectors) {
  const Counted counted(
      {.heads = 1, .kv_heads = 1, .seqlen_q = 70, .seqlen_kv = 100, .head_dim = 128, .head_dim_v = 128},
      {.br = 64, .bc = 64});
  counted.expect("l", 2 * 72 * 4, 3 * 72 * 4);
  counted.expect("m", 2 * 72 * 4, 3 * 72 * 4);
  counted.expect("Q", 2 * 70 * 128 * 2, 0);
  counted.expect("K", 100 * 128 * 2, 0);
  counted.expect("O fp32", 2 * 70 * 128 * 4, 2 * 70 * 128 * 4);
  counted.expect("O", 0, 70 * 128 * 2);
}

TEST(Flash1Mma, TakesNoWindow) {
  const Algorithm& flash1 = find_algorithm("flash1");
  const Variant& mma = find_variant(flash1, "mma");
  EXPECT_EQ(mma.limit({.problem = {.mask = Mask::causal}}), "");
  EXPECT_NE(mma.limit({.problem = {.mask = Mask::window, .window = 64}}).find("window"), std::string::npos);
}

}  // namespace hbmscope
