#include <gtest/gtest.h>

#include "kernels/attention_run.h"
#include "sim/algorithms/algorithm.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

Program program_of(std::string_view algorithm, const Problem& problem, const Tile& tile) {
  Program program;
  const Algorithm& found = find_algorithm(algorithm);
  build_program(found, find_variant(found, "mma"), {.problem = problem, .tile = tile}, program);
  return program;
}

Problem ragged_problem() {
  return {.batch = 3,
          .heads = 4,
          .kv_heads = 2,
          .seqlen_q = 70,
          .seqlen_kv = 100,
          .head_dim = 64,
          .head_dim_v = 64};
}

TEST(AttentionProgram, CountsBytesOfWhatLiesInGlobalMemory) {
  const Program program = program_of("standard", ragged_problem(), {.br = 64, .bc = 64});
  const std::vector<Bytes> sizes = tensor_bytes(program);
  const auto bytes = [&](std::string_view name) {
    return sizes.at(static_cast<std::size_t>(find_tensor(program, name)));
  };
  EXPECT_EQ(bytes("Q"), 3U * 4 * 70 * 64 * 2);
  EXPECT_EQ(bytes("K"), 3U * 2 * 100 * 64 * 2);
  EXPECT_EQ(bytes("S"), 3U * 4 * 70 * 128 * 2);  // rows of 100 padded to 128
}

TEST(AttentionProgram, GivesNoBytesToWhatStaysOnChip) {
  const Program program = program_of("flash2", ragged_problem(), {.br = 64, .bc = 64});
  const std::vector<Bytes> sizes = tensor_bytes(program);
  EXPECT_EQ(sizes.at(static_cast<std::size_t>(find_tensor(program, "S"))), 0U);
  EXPECT_EQ(sizes.at(static_cast<std::size_t>(find_tensor(program, "LSE"))),
            3U * 4 * 72 * 4);  // a head's 70 floats padded to sectors
}

TEST(AttentionProgram, MultipliesTheGridLoops) {
  const Program flash2 = program_of("flash2", ragged_problem(), {.br = 64, .bc = 64});
  EXPECT_EQ(grid_ctas(flash2, flash2.launches[0]), 2U * 4 * 3);
  const Program standard = program_of("standard", ragged_problem(), {.br = 48, .bc = 32});
  EXPECT_EQ(grid_ctas(standard, standard.launches[0]), 2U * 4 * 3);
  EXPECT_EQ(grid_ctas(standard, standard.launches[1]), 18U * 12);  // 4 rows in a CTA
}

TEST(AttentionProgram, RefusesAGridThatCannotBeLaunched) {
  Problem problem = ragged_problem();
  problem.batch = kLargestSize;
  const Program program = program_of("flash2", problem, {.br = 16, .bc = 16});
  EXPECT_THROW(grid_ctas(program, program.launches[0]), UserError);
}

TEST(AttentionProgram, ComparesStoredScoresWhereTheyAreStored) {
  EXPECT_EQ(scores_of(program_of("standard", ragged_problem(), {})), Scores::stored);
  EXPECT_EQ(scores_of(program_of("flash2", ragged_problem(), {})), Scores::exact);
}

TEST(AttentionProgram, FindsNoTensorThatIsNotThere) {
  EXPECT_EQ(find_tensor(program_of("standard", ragged_problem(), {}), "LSE"), kNone);
}

}  // namespace
}  // namespace hbmscope
