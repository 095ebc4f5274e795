#include "sim/gemm_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"
#include "sim/predict.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

const std::string kHead =
    "name = \"x\"\nfull_name = \"X\"\nfewest_tiles = 2\n[counted_on]\nname = \"a GPU\"\n"
    "compute_capability = 90\nsms = 1\n[source]\ntiles = \"t\"\ntraffic = \"u\"\n";
const std::string kScores = "[[scores]]\nrows = 64\ncolumns = 32\n";
const std::string kOutput = "[[output]]\nhead_dim = 64\nrows = 16\ncolumns = 64\n";

const Variant& eager() { return find_variant(find_algorithm("standard"), "eager"); }

}  // namespace

TEST(GemmTiles, AreReadInTheirOrder) {
  const GemmTiles read = parse_gemm_tiles(kHead + kScores + kOutput + kOutput, "x.toml");
  EXPECT_EQ(read.fewest_tiles, 2);
  ASSERT_EQ(read.scores.size(), 1U);
  EXPECT_EQ(read.scores[0].columns, 32);
  EXPECT_EQ(read.outputs.at(64).size(), 2U);
  EXPECT_EQ(eager_tiles().scores.front().rows, 128);
  EXPECT_EQ(eager_tiles().outputs.size(), 4U);
}

TEST(GemmTiles, WhatIsMissingOrUnknownIsNamed) {
  for (const std::string& text : {kHead + kScores, kHead + kOutput, kHead + kScores + kOutput + "depth = 1\n",
                                  kHead + "[[scores]]\nrows = 0\ncolumns = 1\n" + kOutput}) {
    try {
      parse_gemm_tiles(text, "x.toml");
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_THAT(error.input(), HasSubstr("x.toml"));
    }
  }
}

// Eager attention moves what our launches through cuBLAS move, and is not run.
TEST(GemmTiles, EagerAttentionMovesWhatCublasDoes) {
  Point point{.gpu = "h200", .algorithm = "standard", .variant = "cublas"};
  const Prediction cublas = *predict_record(point).prediction;
  point.variant = "eager";
  point.tile = eager().implied(point.problem).tile;
  const Prediction predicted = *predict_record(point).prediction;
  EXPECT_EQ(predicted.l2_read_bytes, cublas.l2_read_bytes);
  EXPECT_EQ(predicted.hbm_write_bytes, cublas.hbm_write_bytes);
  EXPECT_FALSE(eager().has_kernel);
}

TEST(GemmTiles, WhatIsNotKnownOfEagerAttentionIsSaid) {
  EXPECT_EQ(eager().implied({}).tile.bc, 256);
  EXPECT_EQ(eager().implied({.heads = 1, .kv_heads = 1, .seqlen_q = 512, .seqlen_kv = 512}).tile.bc, 128);
  EXPECT_THAT(eager().note({.head_dim = 96, .head_dim_v = 96}, load_gpu("h200")), HasSubstr("head_dim 96"));
  EXPECT_THAT(eager().note({.seqlen_kv = 777}, load_gpu("h200")), HasSubstr("seqlen_kv 777"));
  EXPECT_EQ(eager().note({}, load_gpu("h200")), "");
  EXPECT_THAT(eager().note({}, load_gpu("a100-80")), HasSubstr("counted on an H200"));
}

}  // namespace hbmscope
