#include "kernels/inputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/error.h"

namespace hbmscope {
namespace {

Problem small_problem() {
  return {.batch = 2,
          .heads = 4,
          .kv_heads = 2,
          .seqlen_q = 33,
          .seqlen_kv = 65,
          .head_dim = 64,
          .head_dim_v = 32};
}

TEST(Inputs, HaveTheTensorsSizes) {
  const AttentionInputs inputs = make_inputs(small_problem(), 1);
  EXPECT_EQ(inputs.q.size(), 2U * 4 * 33 * 64);
  EXPECT_EQ(inputs.k.size(), 2U * 2 * 65 * 64);
  EXPECT_EQ(inputs.v.size(), 2U * 2 * 65 * 32);
}

TEST(Inputs, DependOnTheSeedAndTheTensorAlone) {
  Problem problem = small_problem();
  const AttentionInputs first = make_inputs(problem, 7);
  EXPECT_EQ(first.q, make_inputs(problem, 7).q);
  EXPECT_NE(first.q, make_inputs(problem, 8).q);
  EXPECT_NE(std::vector<Half>(first.q.begin(), first.q.begin() + 64),
            std::vector<Half>(first.k.begin(), first.k.begin() + 64));
  problem.seqlen_q =
      16;  // a shorter tensor is a prefix: element i depends on i, not on how the work was split
  const AttentionInputs shorter = make_inputs(problem, 7);
  EXPECT_TRUE(std::equal(shorter.q.begin(), shorter.q.end(), first.q.begin()));
  EXPECT_EQ(shorter.k, first.k);
}

TEST(Inputs, AreNormallyDistributed) {
  Problem problem = small_problem();
  problem.batch = 32;
  const AttentionInputs inputs = make_inputs(problem, 3, {.q = 2.0F});
  double sum = 0.0;
  double squares = 0.0;
  double beyond_two_deviations = 0.0;
  for (const Half bits : inputs.q) {
    const double value = static_cast<double>(half_to_float(bits, problem.dtype));
    sum += value;
    squares += value * value;
    beyond_two_deviations += std::abs(value) > 4.0 ? 1.0 : 0.0;
  }
  const double count = static_cast<double>(inputs.q.size());  // 270,336
  EXPECT_NEAR(sum / count, 0.0, 0.02);                        // 5 standard errors
  EXPECT_NEAR(std::sqrt(squares / count), 2.0, 0.02);
  EXPECT_NEAR(beyond_two_deviations / count, 0.0455, 0.003);
}

TEST(Inputs, RefuseTypesWithoutAKernel) {
  Problem problem = small_problem();
  problem.dtype = DataType::fp32;
  EXPECT_THROW(make_inputs(problem, 1), UserError);
}

}  // namespace
}  // namespace hbmscope
