#pragma once

// S = scale Q K^T in the problem's 16-bit type, the first launch of standard and standard-online. One CTA
// computes Br x Bc of S; structure and counts stand in sim/kernel_shapes/standard_mma.h. Compile-time
// parameters: HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM, HBMSCOPE_DTYPE_BF16 (0: fp16).

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

inline constexpr StandardQkShape kShape{{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM}};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;
inline constexpr bool kHeld = kShape.q_in_registers();
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr ColumnChunks kChunks = kShape.chunks();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr float kLargestHalf = 65504.0f;

// Scales the scores; fp16 cannot hold more than 65504, and an infinity would turn the softmax into NaN.
template <int kBlocks>
__device__ __forceinline__ void scale_scores(float (&scores)[kTiles][kBlocks][4], float scale) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float s = scores[tile][block][i] * scale;
        if (!kBf16 && s > kLargestHalf) s = kLargestHalf;  // NaN stays NaN
        if (!kBf16 && s < -kLargestHalf) s = -kLargestHalf;
        scores[tile][block][i] = s;
      }
    }
  }
}

// `statistics` sees the scores of each chunk, which it may change, after they have been stored.
template <typename Statistics>
__device__ __forceinline__ void compute_scores(const AttentionParams& params, Statistics& statistics) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;

  // Grid: q tile fastest, then kv tile (to the end of the padded row), query head, batch.
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  const int kv_tiles = (params.s_columns - 1) / kBc + 1;
  int block = static_cast<int>(blockIdx.x);
  const int query = block % q_tiles * kBr;
  block /= q_tiles;
  const int first_key = block % kv_tiles * kBc;
  const int head_and_batch = block / kv_tiles;
  const int kv_head = head_and_batch % params.heads / (params.heads / params.kv_heads);
  const int batch = head_and_batch / params.heads;

  const long long q_row = static_cast<long long>(head_and_batch) * params.seqlen_q + query;
  const long long kv_row = (static_cast<long long>(batch) * params.kv_heads + kv_head) * params.seqlen_kv;
  const char* const q = static_cast<const char*>(params.q) + q_row * kRowBytes;
  const char* const k = static_cast<const char*>(params.k) + kv_row * kRowBytes;
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_tile = q_tile + kBr * kRowBytes;
  copy_rows<kThreads, kBr, kHeadDim>(q_tile, q, params.seqlen_q - query, q);
  copy_rows<kThreads, kBc, kHeadDim>(k_tile, k + static_cast<long long>(first_key) * kRowBytes,
                                     params.seqlen_kv - first_key, k);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();

  QueryFragments<kTiles, kHeadDim, kHeld> fragments;
  fragments.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  fragments.load();
  const unsigned k_lane = k_tile + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane));
  const long long s_row_bytes = static_cast<long long>(params.s_columns) * kMmaElementBytes;
  char* const s = static_cast<char*>(params.s) + q_row * s_row_bytes;

  const auto chunk = [&](auto columns, int index) {
    constexpr int kColumns = decltype(columns)::value;
    float scores[kTiles][kColumns / 8][4];
    multiply_keys<kBf16, kTiles, kColumns, kHeadDim, kHeld>(
        scores, fragments, k_lane + static_cast<unsigned>(index * kChunks.width * kRowBytes));
    scale_scores(scores, params.scale);
    const int column = first_key + index * kChunks.width;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = warp_row + tile * kMmaStep + half * 8 + lane / 4;
        char* const s_row = s + row * s_row_bytes + static_cast<long long>(column) * kMmaElementBytes;
        store_row<kBf16>(s_row, scores[tile], half, 1.0f, params.s_columns - column,
                         query + row < params.seqlen_q, lane);
      }
    }
    statistics.add(params, scores, query + warp_row, column);
  };
#pragma unroll 1
  for (int index = 0; index < kChunks.count - 1; ++index) chunk(Constant<kChunks.width>{}, index);
  chunk(Constant<kChunks.last_width>{}, kChunks.count - 1);
  statistics.store(params, head_and_batch, first_key, query + warp_row);
}

}  // namespace hbmscope
