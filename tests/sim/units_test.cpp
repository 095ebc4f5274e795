#include "sim/units.h"

#include <gtest/gtest.h>

namespace hbmscope {

TEST(CheckedArithmetic, ThrowsInsteadOfWrapping) {
  const std::uint64_t largest = ~std::uint64_t{0};
  EXPECT_EQ(checked_add(largest - 1, 1), largest);
  EXPECT_THROW(checked_add(largest, 1), UserError);
  EXPECT_EQ(checked_multiply(largest / 3, 3), largest);
  EXPECT_THROW(checked_multiply(largest / 3 + 1, 3), UserError);
  EXPECT_EQ(checked_multiply(largest, 0), 0U);
  try {
    checked_multiply(largest, 2, "FLOP count");
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "FLOP count");
  }
}

TEST(Division, RoundsTowardsTheNamedSide) {
  for (std::int64_t dividend = -10; dividend <= 10; ++dividend) {
    for (std::int64_t divisor = 1; divisor <= 4; ++divisor) {
      const std::int64_t below = floor_div(dividend, divisor);
      EXPECT_LE(below * divisor, dividend);
      EXPECT_GT((below + 1) * divisor, dividend);
      const std::int64_t above = ceil_div(dividend, divisor);
      EXPECT_GE(above * divisor, dividend);
      EXPECT_LT((above - 1) * divisor, dividend);
    }
  }
  EXPECT_EQ(round_up(65, 64), 128);
  EXPECT_EQ(round_up(64, 64), 64);
}

TEST(UserErrors, PrintOneLine) {
  EXPECT_STREQ(UserError("--br", "0", "expected a number").what(),
               "--br: '0' is not accepted; expected a number");
  EXPECT_STREQ(UserError("file:3", "", "unknown key").what(), "file:3: unknown key");
}

}  // namespace hbmscope
