#pragma once

#include "kernels/device/softmax.cuh"

namespace hbmscope {

// 4x4 transpose across the 4 lanes of a quad: lane t gives word b of block b and gets words 0 … 3 of block t,
// that is 16 contiguous bytes of one row. Exchanges with the neighbour at distance 1, then 2.
__device__ __forceinline__ void transpose_quad(unsigned (&word)[4], int lane) {
#pragma unroll
  for (int distance = 1; distance <= 2; distance *= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (int low = 0; low < 4; ++low) {
      if ((low & distance) != 0) continue;
      const int high = low | distance;
      const unsigned received = __shfl_xor_sync(0xffffffffu, upper ? word[low] : word[high], distance);
      word[low] = upper ? received : word[low];
      word[high] = upper ? word[high] : received;
    }
  }
}

// Two blocks of one row, 32 bytes: lane t gets bytes 8t … 8t + 7.
__device__ __forceinline__ void transpose_pair(unsigned (&word)[2], int lane) {
  const int quad = lane & ~3;
  const int even = quad + (lane * 2 & 3);
  const unsigned low0 = __shfl_sync(0xffffffffu, word[0], even);
  const unsigned low1 = __shfl_sync(0xffffffffu, word[1], even);
  const unsigned high0 = __shfl_sync(0xffffffffu, word[0], even + 1);
  const unsigned high1 = __shfl_sync(0xffffffffu, word[1], even + 1);
  word[0] = (lane & 2) != 0 ? low1 : low0;
  word[1] = (lane & 2) != 0 ? high1 : high0;
}

// Stores one row of a warp's accumulators, rounded to 16 bits and times `factor`: kBlocks * 8 elements at
// `row`, of which those below `columns` (a multiple of 16; the same for the warp) exist. `half` picks row g
// or g + 8; `stored` is false for rows beyond the tensor. Each quad of lanes writes 64 (or 32) contiguous
// bytes: whole sectors.
template <bool kBf16, int kBlocks>
__device__ __forceinline__ void store_row(char* row, const float (&accumulators)[kBlocks][4], int half,
                                          float factor, int columns, bool stored, int lane) {
  static_assert(kBlocks % 2 == 0);
#pragma unroll
  for (int block = 0; block + 4 <= kBlocks; block += 4) {
    unsigned word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float(&c)[4] = accumulators[block + i];
      word[i] = pack<kBf16>(c[half * 2] * factor, c[half * 2 + 1] * factor);
    }
    transpose_quad(word, lane);
    const int piece = block + lane % 4;
    if (stored && piece * kPieceElements < columns) store_global_piece(row + piece * kPieceBytes, word);
  }
  if constexpr (kBlocks % 4 == 2) {
    unsigned word[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float(&c)[4] = accumulators[kBlocks - 2 + i];
      word[i] = pack<kBf16>(c[half * 2] * factor, c[half * 2 + 1] * factor);
    }
    transpose_pair(word, lane);
    const int column = (kBlocks - 2) * kPieceElements;
    if (stored && column < columns) {
      store_global_half_piece(row + column * kMmaElementBytes + lane % 4 * 8, word[0], word[1]);
    }
  }
}

}  // namespace hbmscope
