#pragma once

#include "kernels/device/fragments.cuh"

namespace hbmscope {

// Online softmax (Milakov and Gimelshein 2018) in base 2: with x = score * scale * log2(e), each row keeps
// max = max x and sum = sum 2^(x - max). A lane has the rows g and g + 8 of each m16 tile; `sum` covers its
// own columns only until finish_sums, `max` is common to the 4 lanes of a row.
template <int kTiles>
struct RowState {
  float max[kTiles][2];
  float sum[kTiles][2];
};

template <int kTiles>
__device__ __forceinline__ void clear(RowState<kTiles>& state) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      state.max[tile][half] = minus_infinity();
      state.sum[tile][half] = 0.0f;
    }
  }
}

__device__ __forceinline__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Sets the scores that a row does not see to -inf. first_limit is the number of this chunk's keys that the
// warp's first row sees, each further row sees row_step more, and none sees more than `keys`.
template <int kTiles, int kBlocks>
__device__ __forceinline__ void mask_scores(float (&scores)[kTiles][kBlocks][4], int first_limit,
                                            int row_step, int keys, int lane) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = tile * 16 + half * 8 + lane / 4;
      const int visible = min(first_limit + row * row_step, keys) - lane % 4 * 2;
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        float(&s)[4] = scores[tile][block];
        if (block * 8 >= visible) s[half * 2] = minus_infinity();
        if (block * 8 + 1 >= visible) s[half * 2 + 1] = minus_infinity();
      }
    }
  }
}

// The same for the keys before a window: the warp's first row does not see the first `first_begin` keys of
// this chunk, each further row one more.
template <int kTiles, int kBlocks>
__device__ __forceinline__ void mask_first_scores(float (&scores)[kTiles][kBlocks][4], int first_begin,
                                                  int lane) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int begin = first_begin + tile * 16 + half * 8 + lane / 4 - lane % 4 * 2;
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        float(&s)[4] = scores[tile][block];
        if (block * 8 < begin) s[half * 2] = minus_infinity();
        if (block * 8 + 1 < begin) s[half * 2 + 1] = minus_infinity();
      }
    }
  }
}

// One online step: turns scores into 2^(x - max), updates the state and rescales the output.
//
// x - max is one fused multiply-add on the rounded maximum. The same rounded value enters every term, the
// rescale factor and the LSE, so its rounding cancels however large the logits are (up to 2^31, where it
// could overflow 2^x). A row that has seen no key yet has max = -inf; 0 stands in so that nothing becomes inf
// - inf.
template <int kTiles, int kBlocks, int kOutputBlocks>
__device__ __forceinline__ void online_softmax(float (&scores)[kTiles][kBlocks][4], RowState<kTiles>& state,
                                               float (&output)[kTiles][kOutputBlocks][4], float scale_log2) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float raw_max = scores[tile][0][half * 2];
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        raw_max = fmaxf(raw_max, fmaxf(scores[tile][block][half * 2], scores[tile][block][half * 2 + 1]));
      }
      const float new_max = fmaxf(state.max[tile][half], quad_max(raw_max) * scale_log2);
      const float subtracted = new_max == minus_infinity() ? 0.0f : new_max;
      const float rescale = exp2_approx(state.max[tile][half] - subtracted);
      state.max[tile][half] = new_max;
      float sum = state.sum[tile][half] * rescale;
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
        for (int i = half * 2; i < half * 2 + 2; ++i) {
          scores[tile][block][i] = exp2_approx(fmaf(scores[tile][block][i], scale_log2, -subtracted));
          sum += scores[tile][block][i];
        }
      }
      state.sum[tile][half] = sum;
#pragma unroll
      for (int block = 0; block < kOutputBlocks; ++block) {
        output[tile][block][half * 2] *= rescale;
        output[tile][block][half * 2 + 1] *= rescale;
      }
    }
  }
}

// P's A fragments for keys 16 keys … 16 keys + 15 of the chunk.
template <bool kBf16, int kTiles, int kBlocks>
__device__ __forceinline__ void pack_probabilities(unsigned (&a)[kTiles][4],
                                                   const float (&scores)[kTiles][kBlocks][4], int keys) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    const float(&left)[4] = scores[tile][2 * keys];
    const float(&right)[4] = scores[tile][2 * keys + 1];
    a[tile][0] = pack<kBf16>(left[0], left[1]);
    a[tile][1] = pack<kBf16>(left[2], left[3]);
    a[tile][2] = pack<kBf16>(right[0], right[1]);
    a[tile][3] = pack<kBf16>(right[2], right[3]);
  }
}

template <int kTiles>
__device__ __forceinline__ void finish_sums(RowState<kTiles>& state) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    state.sum[tile][0] = quad_sum(state.sum[tile][0]);
    state.sum[tile][1] = quad_sum(state.sum[tile][1]);
  }
}

}  // namespace hbmscope
