#include "sim/problem.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

// The definition: query i sees key j if j <= i + Nkv - Nq, and under a window W if j > i + Nkv - Nq - W.
std::uint64_t pairs_one_by_one(const Problem& problem, std::int64_t rows, std::int64_t row_end,
                               std::int64_t keys, std::int64_t key_end) {
  std::uint64_t pairs = 0;
  for (std::int64_t i = rows; i < row_end; ++i) {
    const std::int64_t diagonal = i + problem.seqlen_kv - problem.seqlen_q;
    for (std::int64_t j = keys; j < key_end; ++j) {
      const bool causal = problem.mask == Mask::full || j <= diagonal;
      const bool recent = problem.mask != Mask::window || j > diagonal - problem.window;
      pairs += causal && recent ? 1 : 0;
    }
  }
  return pairs;
}

}  // namespace

RC_GTEST_PROP(VisiblePairs, MatchTheDefinition, ()) {
  Problem problem;
  problem.seqlen_q = *rc::gen::inRange(1, 60);
  problem.seqlen_kv = *rc::gen::inRange(1, 60);
  problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
  problem.window = *rc::gen::inRange(1, 70);
  const auto row = *rc::gen::inRange<std::int64_t>(0, problem.seqlen_q);
  const auto row_end = *rc::gen::inRange<std::int64_t>(row, problem.seqlen_q + 1);
  const auto key = *rc::gen::inRange<std::int64_t>(0, problem.seqlen_kv);
  const auto key_end = *rc::gen::inRange<std::int64_t>(key, problem.seqlen_kv + 1);
  RC_ASSERT(visible_pairs(problem, row, row_end, key, key_end) ==
            pairs_one_by_one(problem, row, row_end, key, key_end));
}

TEST(VisiblePairs, CausalSquareIsATriangle) {
  const Problem problem{.seqlen_q = 1000, .seqlen_kv = 1000, .mask = Mask::causal};
  EXPECT_EQ(visible_pairs(problem, 0, 1000, 0, 1000), 1000U * 1001U / 2);
}

TEST(VisiblePairs, RowsBeforeTheFirstKeySeeNothing) {
  const Problem problem{.seqlen_q = 10, .seqlen_kv = 4, .mask = Mask::causal};
  EXPECT_EQ(visible_pairs(problem, 0, 6, 0, 4), 0U);
  EXPECT_EQ(visible_pairs(problem, 6, 10, 0, 4), 1U + 2 + 3 + 4);
}

// Rows of 3 heads one after the other.
RC_GTEST_PROP(VisiblePairs, RowsBeyondAHeadAreThoseOfTheNext, ()) {
  Problem problem;
  problem.seqlen_q = *rc::gen::inRange(1, 20);
  problem.seqlen_kv = *rc::gen::inRange(1, 20);
  problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
  problem.window = *rc::gen::inRange(1, 30);
  const auto row = *rc::gen::inRange<std::int64_t>(0, 3 * problem.seqlen_q);
  const auto row_end = *rc::gen::inRange<std::int64_t>(row, 3 * problem.seqlen_q + 1);
  std::uint64_t pairs = 0;
  for (std::int64_t r = row; r < row_end; ++r) {
    const std::int64_t of_head = r % problem.seqlen_q;
    pairs += pairs_one_by_one(problem, of_head, of_head + 1, 0, problem.seqlen_kv);
  }
  RC_ASSERT(visible_pairs(problem, row, row_end, 0, problem.seqlen_kv) == pairs);
}

TEST(VisiblePairs, LargestSizesDoNotWrap) {
  const Problem problem{.seqlen_q = kLargestSize, .seqlen_kv = kLargestSize, .mask = Mask::causal};
  const auto n = static_cast<std::uint64_t>(kLargestSize);
  EXPECT_EQ(visible_pairs(problem, 0, kLargestSize, 0, kLargestSize), n / 2 * (n + 1));
}

TEST(CheckProblem, NamesTheOptionTheValueAndWhatIsAccepted) {
  struct Case {
    const char* option;
    Problem problem;
  };
  const std::int64_t huge = std::int64_t{1} << 62;
  for (const Case& wrong : {
           Case{"--batch", {.batch = 0}},
           Case{"--batch", {.batch = huge}},
           Case{"--heads", {.heads = -1}},
           Case{"--kv-heads", {.kv_heads = 0}},
           Case{"--kv-heads", {.heads = 16, .kv_heads = 5}},
           Case{"--seqlen", {.seqlen_q = 0}},
           Case{"--seqlen", {.seqlen_q = kLargestSize + 1}},
           Case{"--seqlen-kv", {.seqlen_kv = huge}},
           Case{"--head-dim", {.head_dim = 0}},
           Case{"--head-dim-v", {.head_dim_v = -64}},
           Case{"--mask window", {.mask = Mask::window, .window = 0}},
           Case{"--page-size", {.page_size = -1}},
       }) {
    try {
      check_problem(wrong.problem);
      ADD_FAILURE() << wrong.option << " was accepted";
    } catch (const UserError& error) {
      EXPECT_EQ(error.input(), wrong.option);
      EXPECT_FALSE(error.value().empty());
      EXPECT_NE(error.accepted().find("expected"), std::string::npos);
    }
  }
  EXPECT_NO_THROW(check_problem({}));
  EXPECT_NO_THROW(check_problem({.heads = 32, .kv_heads = 1, .mask = Mask::window, .window = 1}));
}

TEST(ProblemNames, ParseWhatTheyPrint) {
  for (DataType dtype : {DataType::fp32, DataType::bf16, DataType::fp16, DataType::fp8}) {
    EXPECT_EQ(parse_data_type(to_string(dtype)), dtype);
  }
  for (Mask mask : {Mask::full, Mask::causal, Mask::window}) EXPECT_EQ(parse_mask(to_string(mask)), mask);
  for (Direction direction : {Direction::forward, Direction::backward, Direction::both}) {
    EXPECT_EQ(parse_direction(to_string(direction)), direction);
  }
  EXPECT_FALSE(parse_data_type("float").has_value());
  EXPECT_EQ(element_bytes(DataType::fp32), 4);
  EXPECT_EQ(element_bytes(DataType::bf16), 2);
  EXPECT_EQ(element_bytes(DataType::fp16), 2);
  EXPECT_EQ(element_bytes(DataType::fp8), 1);
}

}  // namespace hbmscope
