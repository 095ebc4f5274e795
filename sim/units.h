#pragma once

#include <cstdint>

#include "sim/error.h"

namespace hbmscope {

using Bytes = std::uint64_t;

inline constexpr Bytes kKiB = 1024;
inline constexpr Bytes kMiB = 1024 * kKiB;
inline constexpr Bytes kGiB = 1024 * kMiB;

[[noreturn]] inline void throw_overflow(const char* what) { throw CountOverflow(what); }

// Sums and products of counts that must not wrap. `what` names the count in the error.
inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, const char* what = "byte count") {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_overflow(what);
  return sum;
}

inline std::uint64_t checked_multiply(std::uint64_t a, std::uint64_t b, const char* what = "byte count") {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_overflow(what);
  return product;
}

// For divisor > 0 and any sign of the dividend.
constexpr std::int64_t floor_div(std::int64_t dividend, std::int64_t divisor) {
  // Most sizes fit in 32 bits, where a division costs a fraction.
  if ((static_cast<std::uint64_t>(dividend) | static_cast<std::uint64_t>(divisor)) >> 32 == 0) {
    return static_cast<std::uint32_t>(dividend) / static_cast<std::uint32_t>(divisor);
  }
  const std::int64_t quotient = dividend / divisor;
  return quotient - ((dividend % divisor != 0 && dividend < 0) ? 1 : 0);
}

constexpr std::int64_t ceil_div(std::int64_t dividend, std::int64_t divisor) {
  return floor_div(dividend + divisor - 1, divisor);
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace hbmscope
