#pragma once

#include <bit>
#include <cstdint>

// The two 16-bit types, kept as their bits. Rounding is to nearest, ties to even; NaN stays NaN with its
// sign.
namespace hbmscope {

// bf16: the upper half of an IEEE-754 binary32.
inline float bf16_to_float(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U)
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);  // quiet NaN
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

// fp16: IEEE-754 binary16; 5 exponent bits with bias 15, 10 fraction bits.
inline float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16;
  const std::uint32_t exponent = (std::uint32_t{bits} >> 10) & 0x1fU;
  const std::uint32_t fraction = std::uint32_t{bits} & 0x3ffU;
  if (exponent == 0) {  // zero and subnormals: fraction · 2^-24, exact in binary32
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (fraction << 13));  // 112 = 127 - 15
}

inline std::uint16_t float_to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);   // quiet NaN
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // from 65520 on: infinity
  if (magnitude < 0x38800000U) {
    // Below 2^-14 the result is a multiple of 2^-24, which is the spacing of binary32 just above 0.5: the
    // addition rounds.
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5F)));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U) - (112U << 23);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

}  // namespace hbmscope
