#pragma once

// S = scale Q K^T in the problem's 16-bit type, the first launch of standard and standard-online. One CTA
// computes Br rows of S; structure and counts stand in sim/kernel_shapes/standard_mma.h. Compile-time
// parameters: HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM, HBMSCOPE_STAGES, HBMSCOPE_DTYPE_BF16 (0: fp16).

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

inline constexpr StandardQkShape kShape{{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM}, HBMSCOPE_STAGES};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kStages = kShape.stages;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;
inline constexpr bool kHeld = kShape.q_in_registers();
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr ColumnChunks kChunks = kShape.chunks();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr int kSlotBytes = kShape.key_bytes();
inline constexpr int kRingBytes = kShape.slots() * kSlotBytes;
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

// What one CTA works on.
struct Work {
  const char* k;  // first row of the head's K
  int keys;       // of the head
  char* s;        // first row of the CTA's S
  int rows;       // of Q and S that exist from the first row on; may exceed Br
  int columns;    // of S, padding included
};

// Starts copying a K tile into its slot.
__device__ __forceinline__ void issue_tile(unsigned slot_address, const Work& work, int tile) {
  const int key = tile * kBc;
  if (key < work.columns) {
    copy_rows<kThreads, kBc, kHeadDim>(slot_address, work.k + static_cast<long long>(key) * kRowBytes,
                                       work.keys - key, work.k);
  }
  cp_async_commit();  // an empty group past the end keeps the count of groups
}

// Stores a warp's scores, whose first key is `column`.
template <int kBlocks>
__device__ __forceinline__ void store_scores(const float (&scores)[kTiles][kBlocks][4], const Work& work,
                                             int warp_row, int column, int lane) {
  const long long row_bytes = static_cast<long long>(work.columns) * kMmaElementBytes;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + tile * kMmaStep + half * 8 + lane / 4;
      char* const s = work.s + row * row_bytes + static_cast<long long>(column) * kMmaElementBytes;
      store_row<kBf16>(s, scores[tile], half, 1.0f, work.columns - column, row < work.rows, lane);
    }
  }
}

// `statistics` sees the scores of each chunk of a tile, which it may change, after they have been stored.
template <typename Statistics>
__device__ __forceinline__ void compute_scores(const AttentionParams& params, Statistics& statistics) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;

  // Grid: q tile fastest, then query head, batch.
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int query = block % q_tiles * kBr;
  const int head_and_batch = block / q_tiles;
  const int kv_head = head_and_batch % params.heads / (params.heads / params.kv_heads);
  const int batch = head_and_batch / params.heads;

  const long long q_row = static_cast<long long>(head_and_batch) * params.seqlen_q + query;
  const long long kv_row = (static_cast<long long>(batch) * params.kv_heads + kv_head) * params.seqlen_kv;
  const char* const q = static_cast<const char*>(params.q) + q_row * kRowBytes;
  Work work;
  work.k = static_cast<const char*>(params.k) + kv_row * kRowBytes;
  work.keys = params.seqlen_kv;
  work.s = static_cast<char*>(params.s) + q_row * params.s_columns * kMmaElementBytes;
  work.rows = params.seqlen_q - query;
  work.columns = params.s_columns;

  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_ring = q_tile + kShape.query_bytes();
  copy_rows<kThreads, kBr, kHeadDim>(q_tile, q, work.rows, q);  // in the group of the first K tile
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_tile(k_ring + static_cast<unsigned>(stage * kSlotBytes), work, stage);
  }
  QueryFragments<kTiles, kHeadDim, kHeld> fragments;
  fragments.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  if (kHeld) {
    cp_async_wait<kStages - 1>();
    __syncthreads();
    fragments.load();
  }
  const unsigned k_lane = k_ring + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane));

  unsigned slot = 0;  // offset of the current tile in the ring; the slot before it is free
#pragma unroll 1
  for (int tile = 0; tile * kBc < work.columns; ++tile) {
    cp_async_wait<kStages - 1>();
    __syncthreads();
    issue_tile(k_ring + (slot == 0 ? kRingBytes : slot) - kSlotBytes, work, tile + kStages);
    statistics.begin();
    const auto chunk = [&](auto columns, int index) {
      constexpr int kColumns = decltype(columns)::value;
      float scores[kTiles][kColumns / 8][4];
      multiply_keys<kBf16, kTiles, kColumns, kHeadDim, kHeld>(
          scores, fragments, k_lane + slot + static_cast<unsigned>(index * kChunks.width * kRowBytes));
      scale_scores(scores, params.scale);
      const int column = tile * kBc + index * kChunks.width;
      store_scores(scores, work, warp_row, column, lane);
      statistics.add(params, scores, query + warp_row, column);
    };
#pragma unroll 1
    for (int index = 0; index < kChunks.count - 1; ++index) chunk(Constant<kChunks.width>{}, index);
    chunk(Constant<kChunks.last_width>{}, kChunks.count - 1);
    statistics.store(params, head_and_batch, tile * kBc, query + warp_row);
    slot = slot == kRingBytes - kSlotBytes ? 0 : slot + kSlotBytes;
  }
  cp_async_wait<0>();
}

}  // namespace hbmscope
