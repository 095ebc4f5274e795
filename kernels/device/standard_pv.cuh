#pragma once

// O = P V, the last launch of standard and standard-online. One CTA computes Br rows of O for one query head;
// structure and counts stand in sim/kernel_shapes/standard_mma.h. Compile-time parameters: HBMSCOPE_BR,
// HBMSCOPE_BC, HBMSCOPE_HEAD_DIM, HBMSCOPE_STAGES, HBMSCOPE_DTYPE_BF16 (0: fp16).

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

inline constexpr StandardPvShape kShape{{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM}, HBMSCOPE_STAGES};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kStages = kShape.stages;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr int kPRowBytes = kBc * kMmaElementBytes;
inline constexpr int kSlotBytes = kShape.p_bytes() + kShape.key_bytes();
inline constexpr int kRingBytes = kShape.slots() * kSlotBytes;

// Global tensors of one CTA: P from its first row, V of its KV head.
struct Work {
  const char* p;
  const char* v;
  long long p_row_bytes;
  int rows;  // of P and O that exist from the first row on; may exceed Br
  int keys;
  int columns;  // of P, padding included
};

// A slot holds a Br x Bc tile of P, then a Bc x d tile of V.
__device__ __forceinline__ void issue_tile(unsigned slot_address, const Work& work, int tile, int tiles) {
  if (tile < tiles) {
    const int key = tile * kBc;
    copy_block<kThreads, kBr, kBc>(slot_address, work.p + static_cast<long long>(key) * kMmaElementBytes,
                                   work.p_row_bytes, work.rows, work.columns - key, work.p);
    copy_rows<kThreads, kBc, kHeadDim>(slot_address + static_cast<unsigned>(kShape.p_bytes()),
                                       work.v + static_cast<long long>(key) * kRowBytes, work.keys - key,
                                       work.v);
  }
  cp_async_commit();
}

// `weights` makes the fragments of P of what `weights_tensor` (P or S) holds, up to a factor for each row.
template <typename Weights>
__device__ __forceinline__ void multiply_weights(const AttentionParams& params, const void* weights_tensor,
                                                 Weights& weights) {
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
  Work work;
  work.p_row_bytes = static_cast<long long>(params.s_columns) * kMmaElementBytes;
  work.p = static_cast<const char*>(weights_tensor) + q_row * work.p_row_bytes;
  work.v = static_cast<const char*>(params.v) + kv_row * kRowBytes;
  work.rows = params.seqlen_q - query;
  work.keys = params.seqlen_kv;
  work.columns = params.s_columns;
  const int tiles = (params.seqlen_kv - 1) / kBc + 1;

  const unsigned ring = dynamic_shared_address();
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_tile(ring + static_cast<unsigned>(stage * kSlotBytes), work, stage, tiles);
  }

  weights.begin(params, head_and_batch, query + warp_row);
  float output[kTiles][kHeadDim / 8][4];
  clear(output);
  const unsigned p_lane = ring + static_cast<unsigned>(warp_row * kPRowBytes + a_fragment_offset<kBc>(lane));
  const unsigned v_lane = ring + static_cast<unsigned>(kShape.p_bytes() + a_fragment_offset<kHeadDim>(lane));
  unsigned slot = 0;  // offset of the current tile in the ring; the slot before it is free
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    cp_async_wait<kStages - 1>();
    __syncthreads();
    issue_tile(ring + (slot == 0 ? kRingBytes : slot) - kSlotBytes, work, tile + kStages, tiles);
#pragma unroll
    for (int step = 0; step < kBc / kMmaStep; ++step) {
      unsigned a[kTiles][4];
#pragma unroll
      for (int m = 0; m < kTiles; ++m) {
        ldmatrix_x4(a[m],
                    column_step<kBc>(p_lane + slot, step) + static_cast<unsigned>(m * kMmaStep * kPRowBytes));
      }
      weights.transform(a, params, query + warp_row, tile * kBc + step * kMmaStep);
      multiply_values<kBf16, kTiles, kHeadDim>(
          output, a, v_lane + slot + static_cast<unsigned>(step * kMmaStep * kRowBytes));
    }
    slot = slot == kRingBytes - kSlotBytes ? 0 : slot + kSlotBytes;
  }
  cp_async_wait<0>();

#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + tile * kMmaStep + half * 8 + lane / 4;
      char* const output_row = static_cast<char*>(params.o) + (q_row + row) * kRowBytes;
      store_row<kBf16>(output_row, output[tile], half, weights.factor(tile, half), kHeadDim, row < work.rows,
                       lane);
    }
  }
}

}  // namespace hbmscope
