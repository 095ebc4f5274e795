// flash2, variant mma: FlashAttention-2 (Dao 2023) with cp.async, ldmatrix and mma.sync, sm_80 and up.
// One CTA computes Br rows of O for one query head; structure and counts stand in
// sim/kernel_shapes/flash2_mma.h. Compile-time parameters: HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM,
// HBMSCOPE_STAGES, HBMSCOPE_DTYPE_BF16 (0: fp16), HBMSCOPE_CAUSAL.

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {

inline constexpr Flash2MmaShape kShape{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM, HBMSCOPE_STAGES};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;
inline constexpr bool kCausal = HBMSCOPE_CAUSAL != 0;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kStages = kShape.stages;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;  // m16 tiles of a warp
inline constexpr bool kHeld = kShape.q_in_registers();
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr int kChunk = kShape.chunk_columns();
inline constexpr int kLastChunk = kShape.last_chunk_columns();
inline constexpr int kChunks = kShape.chunks();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr int kQueryBytes = kBr * kRowBytes;
inline constexpr int kSlotBytes = kBc * kRowBytes;
// Groups of copies in flight at each wait: all but the oldest of the K and V tiles that have been issued.
inline constexpr int kPending = 2 * kStages - 2;

// What one CTA works on.
struct Work {
  const char* q;
  const char* k;
  const char* v;
  long long first_row;  // of the q tile, counted over batch, heads and queries
  int query;            // first query of the tile
  int tiles;            // K/V tiles that at least one of its rows sees
};

__device__ __forceinline__ Work find_work(const AttentionParams& params) {
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int head_and_batch = block / q_tiles;
  const int head = head_and_batch % params.heads;
  const int batch = head_and_batch / params.heads;
  const int kv_head = head / (params.heads / params.kv_heads);
  Work work;
  work.query = block % q_tiles * kBr;
  work.first_row = static_cast<long long>(head_and_batch) * params.seqlen_q + work.query;
  const long long kv_row = (static_cast<long long>(batch) * params.kv_heads + kv_head) * params.seqlen_kv;
  work.q = static_cast<const char*>(params.q) + work.first_row * kRowBytes;
  work.k = static_cast<const char*>(params.k) + kv_row * kRowBytes;
  work.v = static_cast<const char*>(params.v) + kv_row * kRowBytes;
  int keys = params.seqlen_kv;
  // Bottom-right causal mask: query i sees keys up to i + Nkv - Nq.
  if (kCausal) keys = min(work.query + kBr, params.seqlen_q) + params.seqlen_kv - params.seqlen_q;
  work.tiles = keys > 0 ? (keys - 1) / kBc + 1 : 0;
  return work;
}

// The state of a warp's rows between K/V tiles.
struct WarpState {
  QueryFragments<kTiles, kHeadDim, kHeld> query;
  RowState<kTiles> rows;
  float output[kTiles][kHeadDim / 8][4];
};

// Ring of K (or V) tiles in shared memory: tile j stands in slot j % stages.
__device__ __forceinline__ void issue_tile(unsigned ring, int slot, const char* source, int tile, int tiles,
                                           int seqlen_kv) {
  if (tile < tiles) {
    copy_rows<kThreads, kBc, kHeadDim>(ring + static_cast<unsigned>(slot * kSlotBytes),
                                       source + static_cast<long long>(tile) * kSlotBytes,
                                       seqlen_kv - tile * kBc, source);
  }
  cp_async_commit();  // an empty group past the end keeps the count of groups
}

// One chunk of kColumns keys. after_scores() runs between the last use of K and the first use of V.
template <int kColumns, typename AfterScores>
__device__ __forceinline__ void process_chunk(WarpState& state, unsigned k_address, unsigned v_address,
                                              int first_key, int warp_query, const AttentionParams& params,
                                              AfterScores after_scores) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  float scores[kTiles][kColumns / 8][4];
  multiply_keys<kBf16, kTiles, kColumns, kHeadDim, kHeld>(scores, state.query, k_address);
  after_scores();
  const int keys = params.seqlen_kv - first_key;
  const int first_limit = kCausal ? warp_query + 1 + keys - params.seqlen_q : keys;
  if (min(first_limit, keys) < kColumns) mask_scores(scores, first_limit, kCausal ? 1 : 0, keys, lane);
  online_softmax(scores, state.rows, state.output, params.scale * 1.4426950408889634f);
#pragma unroll
  for (int step = 0; step < kColumns / kMmaStep; ++step) {
    unsigned a[kTiles][4];
    pack_probabilities<kBf16>(a, scores, step);
    multiply_values<kBf16, kTiles, kHeadDim>(state.output, a,
                                             v_address + static_cast<unsigned>(step * kMmaStep * kRowBytes));
  }
}

// Writes O = output / sum and LSE = ln sum_j e^(scale s_j) of this warp's rows. A row that saw no key has sum
// 0.
__device__ __forceinline__ void store_results(WarpState& state, const Work& work, int warp_row,
                                              const AttentionParams& params) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  finish_sums(state.rows);
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + tile * kMmaStep + half * 8 + lane / 4;
      const bool stored = work.query + row < params.seqlen_q;
      const float sum = state.rows.sum[tile][half];
      const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
      char* const output = static_cast<char*>(params.o) + (work.first_row + row) * kRowBytes;
      store_row<kBf16>(output, state.output[tile], half, inverse, kHeadDim, stored, lane);
      if (stored && lane % 4 == 0) {
        const float max = state.rows.max[tile][half] * 0.6931471805599453f;
        params.lse[work.first_row + row] = sum == 0.0f ? minus_infinity() : max + log_approx(sum);
      }
    }
  }
}

// Copies of V_{j+S-1} start when everybody has finished P V_{j-1}, those of K_{j+S} when everybody has
// finished Q K_j: each overlaps the other half of the step, and a step of one chunk takes two barriers.
__device__ __forceinline__ void process_tiles(WarpState& state, const Work& work, unsigned k_ring,
                                              unsigned v_ring, int warp_row, const AttentionParams& params) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const auto k_lane = k_ring + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane));
  const auto v_lane = v_ring + static_cast<unsigned>(a_fragment_offset<kHeadDim>(lane));
  int slot = 0;
#pragma unroll 1
  for (int j = 0; j < work.tiles; ++j) {
    cp_async_wait<kPending>();
    __syncthreads();
    const int previous_slot = slot == 0 ? kStages - 1 : slot - 1;
    issue_tile(v_ring, previous_slot, work.v, j + kStages - 1, work.tiles, params.seqlen_kv);
    const unsigned slot_offset = static_cast<unsigned>(slot * kSlotBytes);
    const auto chunk = [&](auto columns, int index) {
      const unsigned offset = slot_offset + static_cast<unsigned>(index * kChunk * kRowBytes);
      process_chunk<decltype(columns)::value>(state, k_lane + offset, v_lane + offset,
                                              j * kBc + index * kChunk, work.query + warp_row, params, [&] {
                                                if (index == 0) cp_async_wait<kPending>();  // V_j
                                                if (index == 0 || index == kChunks - 1) __syncthreads();
                                                if (index == kChunks - 1) {
                                                  issue_tile(k_ring, slot, work.k, j + kStages, work.tiles,
                                                             params.seqlen_kv);
                                                }
                                              });
    };
#pragma unroll 1
    for (int index = 0; index < kChunks - 1; ++index) chunk(Constant<kChunk>{}, index);
    chunk(Constant<kLastChunk>{}, kChunks - 1);
    slot = slot == kStages - 1 ? 0 : slot + 1;
  }
}

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    flash2_mma(const __grid_constant__ hbmscope::AttentionParams params) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_ring = q_tile + kQueryBytes;
  const unsigned v_ring = k_ring + kStages * kSlotBytes;
  const Work work = find_work(params);

  copy_rows<kThreads, kBr, kHeadDim>(q_tile, work.q, params.seqlen_q - work.query, work.q);
  cp_async_commit();
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_tile(k_ring, stage, work.k, stage, work.tiles, params.seqlen_kv);
    if (stage < kStages - 1) issue_tile(v_ring, stage, work.v, stage, work.tiles, params.seqlen_kv);
  }

  WarpState state;
  clear(state.rows);
  clear(state.output);
  state.query.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  if (kHeld) {
    cp_async_wait<2 * kStages - 1>();  // Q
    __syncthreads();
    state.query.load();
  }
  process_tiles(state, work, k_ring, v_ring, warp_row, params);
  cp_async_wait<0>();
  store_results(state, work, warp_row, params);
}
