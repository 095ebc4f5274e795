#pragma once

#include <cstdint>

namespace hbmscope {

// Every byte of an output before its kernels run: a NaN in every type, so what was never written cannot pass.
inline constexpr unsigned char kPoisonByte = 0xff;
inline constexpr std::uint16_t kPoisonHalf = 0xffff;  // bf16 or fp16
inline constexpr std::uint32_t kPoisonFloatBits = 0xffffffffU;

}  // namespace hbmscope
