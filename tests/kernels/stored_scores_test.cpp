#include "kernels/stored_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace hbmscope {
namespace {

constexpr double kLargestFp16 = 65504.0;

// The 16-bit value next to a positive one: upwards for +1.
Half neighbour(Half bits, int direction) { return static_cast<Half>(bits + direction); }

double widen(Half bits, DataType dtype) { return static_cast<double>(half_to_float(bits, dtype)); }

TEST(AccumulationError, IsACutOfFp32ForEachProductAndAHalf) {
  EXPECT_EQ(accumulation_error(64, 1.0), 97 * 0x1p-23);
  EXPECT_EQ(accumulation_error(128, 3.0), 193 * 3 * 0x1p-23);
}

TEST(StorableScores, AreOneValueAwayFromTies) {
  const ScoreInterval at = storable_scores(40.01, 1e-5, DataType::fp16);  // fp16 holds multiples of 2^-5 here
  EXPECT_EQ(at.low, 40.0);
  EXPECT_EQ(at.high, 40.0);
}

TEST(StorableScores, AreBothNeighboursOfATie) {
  const ScoreInterval at = storable_scores(40.0 + 0x1p-6 + 1e-6, 1e-5, DataType::fp16);
  EXPECT_EQ(at.low, 40.0);
  EXPECT_EQ(at.high, 40.0 + 0x1p-5);
}

TEST(StorableScores, AreAtMostTheErrorAndHalfAUnitAway) {
  for (const double score : {0.37, 1.999, 40.0, -63.99, 1000.5}) {
    for (const double error : {1e-6, 1e-3, 0.1}) {
      const ScoreInterval at = storable_scores(score, error, DataType::fp16);
      const double unit = std::exp2(std::floor(std::log2(std::abs(score) + error)) - 10);
      EXPECT_LE(score - at.low, error + unit / 2) << score << " " << error;
      EXPECT_LE(at.high - score, error + unit / 2) << score << " " << error;
    }
  }
}

TEST(StorableScores, SaturateInFp16Only) {
  EXPECT_EQ(storable_scores(1e6, 1.0, DataType::fp16).low, kLargestFp16);
  EXPECT_EQ(storable_scores(1e6, 1.0, DataType::fp16).high, kLargestFp16);
  EXPECT_EQ(storable_scores(-1e6, 1.0, DataType::fp16).low, -kLargestFp16);
  EXPECT_GT(storable_scores(1e6, 1.0, DataType::bf16).low, 9e5);
}

// Grouped heads, causal, ragged in both lengths; S as fp32 sums in ascending order, rounded.
class StoredScoresTest : public testing::TestWithParam<DataType> {
 protected:
  StoredScoresTest() {
    problem_.dtype = GetParam();
    inputs_ = make_inputs(problem_, 3, {.q = 4.0F, .k = 4.0F});
    stored_ = {std::vector<Half>(static_cast<std::size_t>(4 * 37 * kStride), 0), kStride};
    store_scores<float>();
    rows_ = rows_to_check(problem_.seqlen_q, 16);
  }

  Half& at(std::int64_t row, std::int64_t key) {
    return stored_.s[static_cast<std::size_t>(row * kStride + key)];
  }

  template <typename Sum>
  Sum score(std::int64_t row, std::int64_t key) const {
    const std::int64_t head = row / problem_.seqlen_q;
    const std::int64_t kv_row = head / 2 * problem_.seqlen_kv + key;  // two query heads to a KV head
    Sum sum = 0;
    for (std::int64_t dim = 0; dim < problem_.head_dim; ++dim) {
      const auto value = [&](const std::vector<Half>& tensor, std::int64_t tensor_row) {
        return Sum{half_to_float(tensor[static_cast<std::size_t>(tensor_row * problem_.head_dim + dim)],
                                 problem_.dtype)};
      };
      sum += value(inputs_.q, row) * value(inputs_.k, kv_row);
    }
    return sum * Sum{softmax_scale(problem_)};
  }

  template <typename Sum>
  void store_scores() {
    for (std::int64_t row = 0; row < problem_.heads * problem_.seqlen_q; ++row) {
      for (std::int64_t key = 0; key < problem_.seqlen_kv; ++key) {
        at(row, key) = float_to_half(static_cast<float>(score<Sum>(row, key)), problem_.dtype);
      }
    }
  }

  // A score of row 26 of head 2 that must be stored as it is: from 8 on a unit in the last place is 2^-7 or
  // more, this one is less than 2^-9 from the middle of its interval, and the sums err by less than 2^-9.
  Half& certain_score() {
    for (std::int64_t key = 0; key < problem_.seqlen_kv; ++key) {
      const double value = widen(at(100, key), problem_.dtype);
      if (value > 8.0 && std::abs(score<double>(100, key) - value) < 0x1p-9) return at(100, key);
    }
    throw std::logic_error("these inputs have no such score");
  }

  ScoreCheck run() const { return check_scores(problem_, inputs_, rows_, stored_); }

  static constexpr std::int64_t kStride = 64;
  Problem problem_{.batch = 1,
                   .heads = 4,
                   .kv_heads = 2,
                   .seqlen_q = 37,
                   .seqlen_kv = 53,
                   .head_dim = 64,
                   .head_dim_v = 64,
                   .mask = Mask::causal};
  AttentionInputs inputs_;
  StoredScores stored_;
  std::vector<std::int64_t> rows_;
};

TEST_P(StoredScoresTest, PassLegalRounding) { EXPECT_EQ(run().failure(), ""); }

TEST_P(StoredScoresTest, FailOneUnitAwayInEitherDirection) {
  Half& score = certain_score();
  const Half right = score;
  for (const int direction : {-1, 1}) {
    score = neighbour(right, direction);
    EXPECT_EQ(run().wrong, 1U) << direction;
    EXPECT_NE(run().failure().find("head 2, row 26"), std::string::npos) << run().failure();
  }
}

TEST_P(StoredScoresTest, CheckMaskedScoresToo) {
  at(0, problem_.seqlen_kv - 1) = float_to_half(1000.0F, problem_.dtype);  // row 0 sees keys up to 16
  EXPECT_EQ(run().wrong, 1U);
}

TEST_P(StoredScoresTest, NeverPassNanPoisonOrInfinity) {
  Half& score = certain_score();
  score = float_to_half(std::nanf(""), problem_.dtype);
  EXPECT_EQ(run().not_a_number, 1U);
  EXPECT_EQ(run().wrong, 1U);
  score = 0xffff;
  EXPECT_EQ(run().unwritten, 1U);
  EXPECT_NE(run().failure().find("never written"), std::string::npos) << run().failure();
  score = float_to_half(std::numeric_limits<float>::infinity(), problem_.dtype);
  EXPECT_EQ(run().wrong, 1U);
}

TEST_P(StoredScoresTest, FindPoisonInRowsThatAreNotCompared) {
  rows_ = {0, 36};
  EXPECT_EQ(run().failure(), "");
  at(40, 3) = 0xffff;
  EXPECT_EQ(run().unwritten, 1U);
  at(40, 3) = float_to_half(std::nanf(""), problem_.dtype);
  EXPECT_NE(run().failure().find("NaN"), std::string::npos) << run().failure();
}

TEST_P(StoredScoresTest, WantZeroPadding) {
  at(147, kStride - 1) = 1;
  EXPECT_EQ(run().padding, 1U);
  EXPECT_NE(run().failure().find("padding"), std::string::npos) << run().failure();
  at(147, kStride - 1) = 0xffff;
  EXPECT_NE(run().failure(), "");
}

TEST_P(StoredScoresTest, GiveTheSameOutputAsAReferenceThatRounds) {
  store_scores<double>();
  const Reference rounding = compute_reference(problem_, inputs_, rows_, Scores::stored);
  const Reference reading = compute_reference(problem_, inputs_, rows_, stored_);
  ASSERT_EQ(reading.o.size(), rounding.o.size());
  for (std::size_t index = 0; index < reading.o.size(); ++index) {
    ASSERT_NEAR(reading.o[index], rounding.o[index], 1e-12) << index;
  }
}

TEST_P(StoredScoresTest, DecideTheOutput) {
  const Reference before = compute_reference(problem_, inputs_, {26}, stored_);
  Half& score = certain_score();  // row 26 of head 2
  score = float_to_half(500.0F, problem_.dtype);
  const Reference after = compute_reference(problem_, inputs_, {26}, stored_);
  const std::int64_t key = &score - &at(100, 0);
  const auto d = static_cast<std::size_t>(problem_.head_dim_v);
  const auto v_row = static_cast<std::size_t>(problem_.seqlen_kv + key) * d;  // KV head 1
  for (std::size_t dim = 0; dim < d; ++dim) {
    ASSERT_NEAR(after.o[2 * d + dim], widen(inputs_.v[v_row + dim], problem_.dtype),
                1e-9);  // all weight on it
    ASSERT_EQ(after.o[1 * d + dim], before.o[1 * d + dim]);
  }
  ASSERT_NEAR(after.lse[2], 500.0, 1e-9);
}

TEST_P(StoredScoresTest, CarryANanIntoTheReference) {
  certain_score() = 0xffff;
  const Reference reference = compute_reference(problem_, inputs_, {26}, stored_);
  EXPECT_TRUE(std::isnan(reference.o[2 * 64]));
}

const auto kName = [](const auto& info) { return std::string(to_string(info.param)); };
INSTANTIATE_TEST_SUITE_P(Types, StoredScoresTest, testing::Values(DataType::bf16, DataType::fp16), kName);

}  // namespace
}  // namespace hbmscope
