#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/reference.h"

namespace hbmscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Two heads, causal with more queries than keys, so that the first rows see no key; the output is the
// reference rounded.
class CompareTest : public testing::Test {
 protected:
  CompareTest() {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem_.seqlen_q));
    std::iota(rows.begin(), rows.end(), 0);
    reference_ = compute_reference(problem_, make_inputs(problem_, 9), rows, Scores::exact);
    for (const double o : reference_.o) o_.push_back(float_to_half(static_cast<float>(o), problem_.dtype));
    for (const double lse : reference_.lse) lse_.push_back(static_cast<float>(lse));
  }

  Comparison run() const { return compare(problem_, reference_, o_, lse_); }
  std::string failure() const { return run().failure(error_tolerance(problem_.dtype)); }
  std::size_t element(std::size_t head, std::size_t row, std::size_t column) const {
    return (head * 20 + row) * 16 + column;
  }

  Problem problem_{.heads = 2,
                   .kv_heads = 2,
                   .seqlen_q = 20,
                   .seqlen_kv = 12,
                   .head_dim = 16,
                   .head_dim_v = 16,
                   .dtype = DataType::fp16,
                   .mask = Mask::causal};
  Reference reference_;
  std::vector<Half> o_;
  std::vector<float> lse_;
};

TEST_F(CompareTest, PassesTheRoundedReference) {
  const Comparison result = run();
  EXPECT_EQ(result.failure(error_tolerance(problem_.dtype)), "");
  EXPECT_GT(result.worst_error, 0.0);      // rounding
  EXPECT_LT(result.worst_error, 0x1p-11);  // half a unit in the last place of the largest value
}

TEST_F(CompareTest, ReportsTheWorstHeadRelativeToItsLargestValue) {
  double largest = 0.0;
  for (std::size_t index = element(1, 0, 0); index < reference_.o.size(); ++index) {
    largest = std::max(largest, std::abs(reference_.o[index]));
  }
  const std::size_t changed = element(1, 19, 3);
  const double wrong = reference_.o[changed] + 0.5;
  o_[changed] = float_to_half(static_cast<float>(wrong), problem_.dtype);
  const Comparison result = run();
  EXPECT_NEAR(result.worst_error, 0.5 / largest, 1e-3);
  EXPECT_EQ(result.worst_head, 1);
  EXPECT_NE(failure().find("head 1"), std::string::npos) << failure();
}

TEST_F(CompareTest, NeverPassesANan) {
  o_[element(0, 15, 0)] = float_to_half(std::nanf(""), problem_.dtype);
  EXPECT_EQ(run().worst_error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(run().not_a_number, 1U);
  EXPECT_NE(failure(), "");
}

TEST_F(CompareTest, FindsPoisonInRowsThatAreNotCompared) {
  reference_ = compute_reference(problem_, make_inputs(problem_, 9), {0, 19}, Scores::exact);
  EXPECT_EQ(failure(), "");
  o_[element(1, 10, 15)] = 0xffff;
  EXPECT_EQ(run().unwritten, 1U);
  EXPECT_NE(failure().find("never written"), std::string::npos) << failure();
  o_[element(1, 10, 15)] = 0;
  lse_[30] = std::bit_cast<float>(0xffffffffU);
  EXPECT_EQ(run().unwritten, 1U);
  EXPECT_NE(failure(), "");
}

TEST_F(CompareTest, WantsMinusInfinityExactlyWhereNoKeyIsSeen) {
  ASSERT_EQ(lse_[0], -kInfinity);
  lse_[0] = -1e30F;
  EXPECT_NE(failure(), "");
  lse_[0] = -kInfinity;
  ASSERT_EQ(failure(), "");
  lse_[19] = -kInfinity;
  EXPECT_NE(failure(), "");
}

TEST_F(CompareTest, WantsZeroWhereNoKeyIsSeen) {
  reference_ = compute_reference(problem_, make_inputs(problem_, 9), {0, 1}, Scores::exact);  // both see none
  ASSERT_EQ(failure(), "");
  o_[element(0, 1, 1)] = float_to_half(0.001F, problem_.dtype);
  EXPECT_EQ(run().worst_error, std::numeric_limits<double>::infinity());
}

TEST_F(CompareTest, NoticesAWrongLse) {
  lse_[19] *= 1.01F;
  EXPECT_NE(failure().find("LSE"), std::string::npos) << failure();
}

TEST_F(CompareTest, TakesAnAlgorithmWithoutLse) {
  lse_.clear();
  EXPECT_EQ(failure(), "");
}

}  // namespace
}  // namespace hbmscope
