#include "kernels/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hbmscope {
namespace {

// The definition as two loops, one row at a time; head and row as in the reference's layout.
struct NaiveRow {
  std::vector<double> o;
  double lse;
};
NaiveRow naive_row(const Problem& p, const AttentionInputs& inputs, std::int64_t head, std::int64_t query,
                   bool round_s) {
  const std::int64_t batch = head / p.heads;
  const std::int64_t kv_head = batch * p.kv_heads + (head % p.heads) / (p.heads / p.kv_heads);
  const auto value = [&](const std::vector<Half>& tensor, std::int64_t row, std::int64_t columns,
                         std::int64_t column) {
    return static_cast<double>(
        half_to_float(tensor[static_cast<std::size_t>(row * columns + column)], p.dtype));
  };
  std::vector<double> weights(static_cast<std::size_t>(p.seqlen_kv));
  double sum = 0.0;
  for (std::int64_t key = 0; key < p.seqlen_kv; ++key) {
    const std::int64_t distance =
        query + p.seqlen_kv - p.seqlen_q - key;  // keys before the newest visible one
    const bool visible =
        p.mask == Mask::full || (distance >= 0 && (p.mask == Mask::causal || distance < p.window));
    double score = 0.0;
    for (std::int64_t dim = 0; dim < p.head_dim; ++dim) {
      score += value(inputs.q, head * p.seqlen_q + query, p.head_dim, dim) *
               value(inputs.k, kv_head * p.seqlen_kv + key, p.head_dim, dim);
    }
    score *= static_cast<double>(1.0F / std::sqrt(static_cast<float>(p.head_dim)));
    if (round_s) {
      score = static_cast<double>(half_to_float(float_to_half(static_cast<float>(score), p.dtype), p.dtype));
    }
    weights[static_cast<std::size_t>(key)] = visible ? std::exp(score) : 0.0;
    sum += weights[static_cast<std::size_t>(key)];
  }
  NaiveRow row{std::vector<double>(static_cast<std::size_t>(p.head_dim_v)), std::log(sum)};
  if (sum == 0.0) return row;
  for (std::int64_t dim = 0; dim < p.head_dim_v; ++dim) {
    for (std::int64_t key = 0; key < p.seqlen_kv; ++key) {
      row.o[static_cast<std::size_t>(dim)] += weights[static_cast<std::size_t>(key)] / sum *
                                              value(inputs.v, kv_head * p.seqlen_kv + key, p.head_dim_v, dim);
    }
  }
  return row;
}

class ReferenceTest : public testing::TestWithParam<Problem> {};

void expect_naive(const Problem& problem, Scores scores, const std::vector<std::int64_t>& rows) {
  const AttentionInputs inputs = make_inputs(problem, 5);
  const Reference reference = compute_reference(problem, inputs, rows, scores);
  for (std::int64_t head = 0; head < problem.batch * problem.heads; ++head) {
    for (std::size_t index = 0; index < rows.size(); ++index) {
      const NaiveRow expected = naive_row(problem, inputs, head, rows[index], scores == Scores::stored);
      const std::size_t row = static_cast<std::size_t>(head) * rows.size() + index;
      if (std::isinf(expected.lse)) {
        ASSERT_EQ(reference.lse[row], expected.lse) << head << ", " << rows[index];
      } else {
        ASSERT_NEAR(reference.lse[row], expected.lse, 1e-12) << head << ", " << rows[index];
      }
      for (std::size_t dim = 0; dim < expected.o.size(); ++dim) {
        ASSERT_NEAR(reference.o[row * expected.o.size() + dim], expected.o[dim], 1e-12)
            << head << ", " << rows[index];
      }
    }
  }
}

TEST_P(ReferenceTest, IsTheDefinition) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(GetParam().seqlen_q));
  std::iota(rows.begin(), rows.end(), 0);
  expect_naive(GetParam(), Scores::exact, rows);
  // A score within 1e-16 of a rounding boundary could go either way; these inputs have none.
  expect_naive(GetParam(), Scores::stored, rows);
}

TEST_P(ReferenceTest, ComputesChosenRowsAlone) {
  expect_naive(GetParam(), Scores::exact, {0, GetParam().seqlen_q - 1});
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReferenceTest,
    testing::Values(
        Problem{.heads = 1, .kv_heads = 1, .seqlen_q = 1, .seqlen_kv = 1, .head_dim = 64, .head_dim_v = 64},
        Problem{.heads = 2, .kv_heads = 2, .seqlen_q = 70, .seqlen_kv = 53, .head_dim = 64, .head_dim_v = 64},
        Problem{.batch = 2,
                .heads = 4,
                .kv_heads = 2,
                .seqlen_q = 17,
                .seqlen_kv = 40,
                .head_dim = 16,
                .head_dim_v = 12,
                .dtype = DataType::fp16},
        Problem{.batch = 2,
                .heads = 6,
                .kv_heads = 1,
                .seqlen_q = 65,
                .seqlen_kv = 65,
                .head_dim = 32,
                .head_dim_v = 8,
                .mask = Mask::causal},
        Problem{.heads = 2,
                .kv_heads = 1,
                .seqlen_q = 21,
                .seqlen_kv = 90,
                .head_dim = 8,
                .head_dim_v = 8,
                .dtype = DataType::fp16,
                .mask = Mask::causal},
        Problem{.heads = 1,
                .kv_heads = 1,
                .seqlen_q = 80,
                .seqlen_kv = 30,
                .head_dim = 8,
                .head_dim_v = 8,
                .mask = Mask::causal},  // the first 50 rows see no key
        Problem{.heads = 1,
                .kv_heads = 1,
                .seqlen_q = 50,
                .seqlen_kv = 64,
                .head_dim = 8,
                .head_dim_v = 24,
                .mask = Mask::window,
                .window = 9},
        Problem{
            .heads = 1, .kv_heads = 1, .seqlen_q = 3, .seqlen_kv = 1100, .head_dim = 16, .head_dim_v = 16}));

TEST(Reference, HoldsAtLogitsThatOverflowAnExponential) {
  const Problem problem{
      .heads = 1, .kv_heads = 1, .seqlen_q = 4, .seqlen_kv = 9, .head_dim = 64, .head_dim_v = 64};
  const AttentionInputs inputs = make_inputs(problem, 1, {.q = 100.0F, .k = 100.0F});
  const Reference reference = compute_reference(problem, inputs, {0, 1, 2, 3}, Scores::exact);
  for (const double o : reference.o) ASSERT_TRUE(std::isfinite(o));
  EXPECT_GT(*std::ranges::max_element(reference.lse), 710.0);  // exp of it is infinite
}

TEST(RowsToCheck, AreAllOfAShortSequence) {
  const std::vector<std::int64_t> rows = rows_to_check(1024, 128);
  ASSERT_EQ(rows.size(), 1024U);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 1023);
}

TEST(RowsToCheck, HoldEndsAndTileEdgesOfALongSequence) {
  for (const std::int64_t length : {1025, 2048, 4099, 100000}) {
    for (const std::int64_t br : {16, 48, 128, 256, 4096}) {
      const std::vector<std::int64_t> rows = rows_to_check(length, br);
      ASSERT_EQ(rows.size(), 64U) << length << ", " << br;
      ASSERT_TRUE(std::ranges::is_sorted(rows));
      ASSERT_EQ(std::ranges::adjacent_find(rows), rows.end());
      ASSERT_EQ(rows.front(), 0);
      ASSERT_EQ(rows.back(), length - 1);
      if (br >= length) continue;
      const auto edge =
          std::ranges::find_if(rows, [&](std::int64_t row) { return row > 0 && row % br == 0; });
      ASSERT_NE(edge, rows.end());
      ASSERT_TRUE(std::ranges::binary_search(rows, *edge - 1));
      const std::int64_t last_edge = (length - 1) / br * br;
      ASSERT_TRUE(std::ranges::binary_search(rows, last_edge) &&
                  std::ranges::binary_search(rows, last_edge - 1));
    }
  }
}

}  // namespace
}  // namespace hbmscope
