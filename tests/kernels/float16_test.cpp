#include "kernels/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hbmscope {
namespace {

constexpr int kPatterns = 1 << 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// IEEE-754's definition of binary16, written with ldexp.
double fp16_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction == 0 ? sign * kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// bf16: 8 exponent bits with bias 127, 7 fraction bits.
double bf16_value(std::uint16_t bits) {
  const int exponent = (bits >> 7) & 0xff;
  const int fraction = bits & 0x7f;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0xff) return fraction == 0 ? sign * kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, -133);
  return sign * std::ldexp(128 + fraction, exponent - 134);
}

template <typename ToFloat, typename ToHalf, typename Value>
void check_every_pattern(ToFloat to_float, ToHalf to_half, Value value) {
  for (int pattern = 0; pattern < kPatterns; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float decoded = to_float(bits);
    if (std::isnan(value(bits))) {
      ASSERT_TRUE(std::isnan(decoded)) << pattern;
      ASSERT_TRUE(std::isnan(to_float(to_half(decoded)))) << pattern;
      ASSERT_EQ(to_half(decoded) & 0x8000, bits & 0x8000) << pattern;
    } else {
      ASSERT_EQ(static_cast<double>(decoded), value(bits)) << pattern;
      ASSERT_EQ(std::signbit(decoded), (bits & 0x8000) != 0) << pattern;
      ASSERT_EQ(to_half(decoded), bits) << pattern;
    }
  }
}

// Between every two neighbours: the midpoint goes to the even one, what is next to it to the nearer one.
template <typename ToFloat, typename ToHalf>
void check_every_midpoint(ToFloat to_float, ToHalf to_half, int infinity_bits) {
  for (int pattern = 0; pattern + 1 < infinity_bits; ++pattern) {
    const auto low = static_cast<std::uint16_t>(pattern);
    const auto high = static_cast<std::uint16_t>(pattern + 1);
    const auto even = (pattern & 1) == 0 ? low : high;
    const float middle =
        static_cast<float>((static_cast<double>(to_float(low)) + static_cast<double>(to_float(high))) / 2);
    ASSERT_EQ(to_half(middle), even) << pattern;
    ASSERT_EQ(to_half(-middle), even | 0x8000) << pattern;
    ASSERT_EQ(to_half(std::nextafter(middle, 0.0F)), low) << pattern;
    ASSERT_EQ(to_half(std::nextafter(middle, kInfinity)), high) << pattern;
  }
}

TEST(Float16, Fp16DecodesAndEncodesEveryPattern) {
  check_every_pattern(fp16_to_float, float_to_fp16, fp16_value);
}
TEST(Float16, Bf16DecodesAndEncodesEveryPattern) {
  check_every_pattern(bf16_to_float, float_to_bf16, bf16_value);
}
TEST(Float16, Fp16RoundsEveryMidpointToEven) { check_every_midpoint(fp16_to_float, float_to_fp16, 0x7c00); }
TEST(Float16, Bf16RoundsEveryMidpointToEven) { check_every_midpoint(bf16_to_float, float_to_bf16, 0x7f80); }

TEST(Float16, Fp16OverflowsFromTheMidpointBeyondItsLargestValue) {
  EXPECT_EQ(float_to_fp16(65519.996F), 0x7bff);  // 65504
  EXPECT_EQ(float_to_fp16(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_fp16(-65520.0F), 0xfc00);
  EXPECT_EQ(float_to_fp16(kInfinity), 0x7c00);
}

TEST(Float16, Fp16UnderflowsBelowHalfItsSmallestSubnormal) {
  EXPECT_EQ(float_to_fp16(0x1p-25F), 0x0000);  // the midpoint; 0 is even
  EXPECT_EQ(float_to_fp16(std::nextafter(0x1p-25F, 1.0F)), 0x0001);
  EXPECT_EQ(float_to_fp16(-0x1p-26F), 0x8000);
  EXPECT_EQ(float_to_fp16(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(Float16, Bf16OverflowsFromTheMidpointBeyondItsLargestValue) {
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bf16(0x1.fep+127F), 0x7f7f);
  EXPECT_EQ(float_to_bf16(-kInfinity), 0xff80);
}

TEST(Float16, NanWithALowPayloadStaysNan) {
  const float nan = std::bit_cast<float>(0x7f800001U);  // rounding the payload away would give infinity
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(nan))));
  EXPECT_TRUE(std::isnan(fp16_to_float(float_to_fp16(nan))));
}

}  // namespace
}  // namespace hbmscope
