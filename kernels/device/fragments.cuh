#pragma once

#include "kernels/device/tile_copy.cuh"

namespace hbmscope {

// A number as a type, to pass a template argument to a lambda.
template <int kValue>
struct Constant {
  static constexpr int value = kValue;
};

// Layout of mma.m16n8k16 in a lane, with g = lane / 4 and t = lane % 4: an accumulator holds columns 2t, 2t +
// 1 of row g, then of row g + 8. Two neighbouring 16x8 accumulators, rounded and packed, are one 16x16 A
// fragment.

template <int kTiles, int kBlocks>
__device__ __forceinline__ void clear(float (&accumulators)[kTiles][kBlocks][4]) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < 4; ++i) accumulators[tile][block][i] = 0.0f;
    }
  }
}

// The row that this lane hands to ldmatrix for a 16x16 A fragment stored row by row, and for 16 keys x 16
// dims of V, which the transposing load turns into two B fragments: matrices in the order (rows 0-7, 8-15),
// then columns.
template <int kRowElements>
__device__ __forceinline__ int a_fragment_offset(int lane) {
  return swizzled_offset<kRowElements>(lane % 16, lane / 16);
}

// The same for two B fragments of K: 16 keys (columns of S) x 16 dims, matrices in the order dims, then keys.
template <int kRowElements>
__device__ __forceinline__ int b_fragment_offset(int lane) {
  return swizzled_offset<kRowElements>((lane / 16) * 8 + lane % 8, (lane / 8) % 2);
}

// From a lane's address of the first 16 columns to that of columns 16 step … 16 step + 15 of the same rows.
// The swizzle is an XOR within groups of pieces, to which rows are aligned: steps within a group commute with
// it.
template <int kRowElements>
__device__ __forceinline__ unsigned column_step(unsigned address, int step) {
  constexpr unsigned kWithinGroup = RowSwizzle<kRowElements>::kGroupBytes - 1;
  const unsigned offset = static_cast<unsigned>(step * kMmaStep * kMmaElementBytes);
  return (address ^ (offset & kWithinGroup)) + (offset & ~kWithinGroup);
}

// Q as A fragments, held in registers or read again at each use.
template <int kTiles, int kHeadDim, bool kHeld>
struct QueryFragments {
  static constexpr int kSteps = kHeadDim / kMmaStep;
  static constexpr int kTileBytes = kMmaStep * kHeadDim * kMmaElementBytes;
  unsigned held[kHeld ? kTiles : 1][kHeld ? kSteps : 1][4];
  unsigned address;  // of this lane's row in the warp's first m16 tile

  __device__ __forceinline__ void load() {
    if constexpr (kHeld) {
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          ldmatrix_x4(held[tile][step],
                      column_step<kHeadDim>(address + static_cast<unsigned>(tile * kTileBytes), step));
        }
      }
    }
  }

  __device__ __forceinline__ void get(unsigned (&fragment)[4], int tile, int step) const {
    if constexpr (kHeld) {
#pragma unroll
      for (int i = 0; i < 4; ++i) fragment[i] = held[tile][step][i];
    } else {
      ldmatrix_x4(fragment, column_step<kHeadDim>(address + static_cast<unsigned>(tile * kTileBytes), step));
    }
  }
};

// scores = Q K^T for this warp's rows and the kColumns keys that start at k_address (this lane's row of the
// first 16 keys).
template <bool kBf16, int kTiles, int kColumns, int kHeadDim, bool kHeld>
__device__ __forceinline__ void multiply_keys(float (&scores)[kTiles][kColumns / 8][4],
                                              const QueryFragments<kTiles, kHeadDim, kHeld>& query,
                                              unsigned k_address) {
  clear(scores);
  // Fragments in registers need fixed indices. Without them one step at a time: unrolled, the compiler loads
  // far ahead and runs out of registers.
  constexpr int kSteps = kHeadDim / kMmaStep;
  [[maybe_unused]] constexpr int kUnroll = kHeld ? kSteps : 1;
#pragma unroll kUnroll
  for (int step = 0; step < kSteps; ++step) {
    unsigned a[kTiles][4];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) query.get(a[tile], tile, step);
#pragma unroll
    for (int keys = 0; keys < kColumns / kMmaStep; ++keys) {
      unsigned b[4];
      ldmatrix_x4(b, column_step<kHeadDim>(k_address, step) +
                         static_cast<unsigned>(keys * kMmaStep * kHeadDim * kMmaElementBytes));
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        mma_m16n8k16<kBf16>(scores[tile][2 * keys], a[tile], b[0], b[1]);
        mma_m16n8k16<kBf16>(scores[tile][2 * keys + 1], a[tile], b[2], b[3]);
      }
    }
  }
}

// output += P V for 16 keys: `a` holds P's fragments, v_address this lane's row of the 16 keys of V.
template <bool kBf16, int kTiles, int kHeadDim>
__device__ __forceinline__ void multiply_values(float (&output)[kTiles][kHeadDim / 8][4],
                                                const unsigned (&a)[kTiles][4], unsigned v_address) {
#pragma unroll
  for (int step = 0; step < kHeadDim / kMmaStep; ++step) {
    unsigned b[4];
    ldmatrix_x4_transposed(b, column_step<kHeadDim>(v_address, step));
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      mma_m16n8k16<kBf16>(output[tile][2 * step], a[tile], b[0], b[1]);
      mma_m16n8k16<kBf16>(output[tile][2 * step + 1], a[tile], b[2], b[3]);
    }
  }
}

}  // namespace hbmscope
