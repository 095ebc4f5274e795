// flash2, variant mma: FlashAttention-2 (Dao 2023) with cp.async, ldmatrix and mma.sync, sm_80 and up.
// One CTA computes Br rows of O for one query head; structure and counts stand in
// sim/kernel_shapes/flash2_mma.h. Compile-time parameters: HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM,
// HBMSCOPE_STAGES, HBMSCOPE_DTYPE_BF16 (0: fp16), HBMSCOPE_MASK (0: full, 1: causal, 2: window),
// HBMSCOPE_HEAD_FASTEST (0: q tiles run fastest in the grid) and HBMSCOPE_KV_WALK (0: up, 1: down,
// 2: odd q tiles down).

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {

inline constexpr Flash2MmaShape kShape{{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM}, HBMSCOPE_STAGES};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;
inline constexpr bool kCausal = HBMSCOPE_MASK != 0;  // a window is causal, too
inline constexpr bool kWindow = HBMSCOPE_MASK == 2;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kStages = kShape.stages;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;  // m16 tiles of a warp
inline constexpr bool kHeld = kShape.q_in_registers();
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr ColumnChunks kChunks = kShape.chunks();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr int kSlotBytes = kShape.key_bytes();
inline constexpr float kLog2E = 1.4426950408889634f;
// Groups of copies in flight at each wait: all but the oldest of the K and V tiles that have been issued.
inline constexpr int kPending = 2 * kStages - 2;

// What one CTA works on, and how far it has come. Rows of a tensor are counted over batch, heads and
// sequence; they fit in 32 bits (2^32 rows of K are at least 512 GB). Kept small: registers are what this
// kernel lacks.
struct Work {
  unsigned q_row;   // first row of the q tile in Q and O
  int query;        // its first query
  unsigned kv_row;  // first row of the current K/V tile in K and V
  int keys;         // keys from there to the end of the sequence
  int limit;        // causal: how many of them the tile's first query sees, may be <= 0
};

__device__ __forceinline__ bool walks_down(const Work& work) {
  return HBMSCOPE_KV_WALK == 1 || (HBMSCOPE_KV_WALK == 2 && work.query / kBr % 2 != 0);
}

// Keys from the current tile on that at least one row sees: those of the tile's last row, which is its Br-th
// or the last of the sequence, which sees every key.
__device__ __forceinline__ int visible_keys(const Work& work) {
  return kCausal ? min(work.limit + kBr - 1, work.keys) : work.keys;
}

// Where the keys that the first query of the q tile sees begin, counted from the current tile's first key.
__device__ __forceinline__ int window_begin(const Work& work, const AttentionParams& params) {
  return work.limit - params.window;
}

__device__ __forceinline__ void advance(Work& work, int keys) {
  work.kv_row += static_cast<unsigned>(keys);
  work.keys -= keys;
  work.limit -= keys;
}

// From the current K/V tile to the one that is `steps` visits later, in keys.
__device__ __forceinline__ int keys_ahead(const Work& work, int steps) {
  return walks_down(work) ? -steps * kBc : steps * kBc;
}

// Whether the walk comes to the tile that begins `offset` keys after the current one: going up it ends with
// the last key that some row sees, going down with the first.
__device__ __forceinline__ bool is_visited(const Work& work, int offset, const AttentionParams& params) {
  if (!walks_down(work)) return offset < visible_keys(work);
  if (kWindow && window_begin(work, params) >= offset + kBc) return false;
  return work.keys - offset <= params.seqlen_kv;
}

// The q tile of a CTA with its first K/V tile. Under a causal mask the last q tiles, which see the most keys,
// run first, so that what is left at the end of the launch is short.
__device__ __forceinline__ Work find_work(const AttentionParams& params) {
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  int block = static_cast<int>(not_hoisted(blockIdx.x));
  int head = 0;
  if (HBMSCOPE_HEAD_FASTEST != 0) {
    head = block % params.heads;
    block /= params.heads;
  }
  const int turn = block % q_tiles;
  block /= q_tiles;
  if (HBMSCOPE_HEAD_FASTEST == 0) {
    head = block % params.heads;
    block /= params.heads;
  }
  const int kv_head = head / (params.heads / params.kv_heads);
  Work work;
  work.query = (HBMSCOPE_MASK == 1 ? q_tiles - 1 - turn : turn) * kBr;
  work.q_row = static_cast<unsigned>(block * params.heads + head) * static_cast<unsigned>(params.seqlen_q) +
               static_cast<unsigned>(work.query);
  work.kv_row =
      static_cast<unsigned>(block * params.kv_heads + kv_head) * static_cast<unsigned>(params.seqlen_kv);
  work.keys = params.seqlen_kv;
  // Bottom-right mask: query i sees keys up to i + Nkv - Nq.
  work.limit = work.query + 1 + params.seqlen_kv - params.seqlen_q;
  if (walks_down(work)) {
    const int end = visible_keys(work);
    advance(work, end > 0 ? (end - 1) / kBc * kBc : -kBc);
  } else if (kWindow) {
    advance(work, max(0, window_begin(work, params)) / kBc * kBc);
  }
  return work;
}

// The state of a warp's rows between K/V tiles.
struct WarpState {
  QueryFragments<kTiles, kHeadDim, kHeld> query;
  RowState<kTiles> rows;
  float output[kTiles][kHeadDim / 8][4];
};

// Warps of 32 rows leave registers for two CTAs anyway; those of 16 need them for a third.
template <int kRows>
__device__ __forceinline__ void copy_tile(unsigned tile, const char* source, int valid_rows) {
  if constexpr (kTiles == 2) {
    copy_rows_quickly<kThreads, kRows, kHeadDim>(tile, source, valid_rows, source);
  } else {
    copy_rows<kThreads, kRows, kHeadDim>(tile, source, valid_rows, source);
  }
}

// Starts copying the K (or V) tile that is `steps` visits after the current one into a slot of its ring.
__device__ __forceinline__ void issue_tile(unsigned slot_address, const void* tensor, const Work& work,
                                           int steps, const AttentionParams& params) {
  const int offset = keys_ahead(work, steps);
  if (is_visited(work, offset, params)) {
    const long long row = work.kv_row + static_cast<unsigned>(offset);
    const char* const source = static_cast<const char*>(tensor) + row * kRowBytes;
    copy_tile<kBc>(slot_address, source, work.keys - offset);
  }
  cp_async_commit();  // an empty group past the end keeps the count of groups
}

// One chunk of kColumns keys, the first of which stands at k_chunk and v_chunk. The warp's first row sees
// `limit` of them, under a window not the first `begin`, and no row more than `keys`. after_scores() runs
// between the last use of K and the first use of V. Lane addresses are computed again for every chunk: that
// is cheaper than registers.
template <int kColumns, typename AfterScores>
__device__ __forceinline__ void process_chunk(WarpState& state, unsigned k_chunk, unsigned v_chunk, int begin,
                                              int limit, int keys, float scale_log2,
                                              AfterScores after_scores) {
  int lane = static_cast<int>(not_hoisted(threadIdx.x)) % kWarpThreads;
  float scores[kTiles][kColumns / 8][4];
  multiply_keys<kBf16, kTiles, kColumns, kHeadDim, kHeld>(
      scores, state.query, k_chunk + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane)));
  after_scores();
  lane = static_cast<int>(not_hoisted(threadIdx.x)) % kWarpThreads;
  if (min(limit, keys) < kColumns) mask_scores(scores, limit, kCausal ? 1 : 0, keys, lane);
  if (kWindow && begin + kWarpRows - 1 > 0) mask_first_scores(scores, begin, lane);
  online_softmax(scores, state.rows, state.output, scale_log2);
  const unsigned v_address = v_chunk + static_cast<unsigned>(a_fragment_offset<kHeadDim>(lane));
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
  const unsigned query = static_cast<unsigned>(work.query);
  const unsigned head_and_batch = (work.q_row - query) / static_cast<unsigned>(params.seqlen_q);
  float* const lse = params.lse + static_cast<long long>(head_and_batch) * params.lse_columns + query;
  finish_sums(state.rows);
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + tile * kMmaStep + half * 8 + lane / 4;
      const bool stored = work.query + row < params.seqlen_q;
      const float sum = state.rows.sum[tile][half];
      const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
      char* const output = static_cast<char*>(params.o) +
                           static_cast<long long>(work.q_row + static_cast<unsigned>(row)) * kRowBytes;
      store_row<kBf16>(output, state.output[tile], half, inverse, kHeadDim, stored, lane);
      if (stored && lane % 4 == 0) {
        const float max = state.rows.max[tile][half] * 0.6931471805599453f;
        store_global_float(lse + row, sum == 0.0f ? minus_infinity() : max + log_approx(sum));
      }
    }
  }
}

// Copies of V_{j+S-1} start when everybody has finished P V_{j-1}, those of K_{j+S} when everybody has
// finished Q K_j: each overlaps the other half of the step, and a step of one chunk takes two barriers.
__device__ __forceinline__ void process_tiles(WarpState& state, Work& work, unsigned k_ring, unsigned v_ring,
                                              int warp_row, const AttentionParams& params) {
  unsigned slot = 0;  // offset of the current tile in its ring
#pragma unroll 1
  while (is_visited(work, 0, params)) {
    cp_async_wait<kPending>();  // K_j
    __syncthreads();
    const unsigned previous_slot = slot == 0 ? (kStages - 1) * kSlotBytes : slot - kSlotBytes;
    issue_tile(v_ring + previous_slot, params.v, work, kStages - 1, params);
    const auto chunk = [&](auto columns, int index) {
      const unsigned offset = slot + static_cast<unsigned>(index * kChunks.width * kRowBytes);
      const int keys = work.keys - index * kChunks.width;
      const int limit = kCausal ? work.limit - index * kChunks.width + warp_row : keys;
      const int begin = limit - params.window;
      process_chunk<decltype(columns)::value>(state, k_ring + offset, v_ring + offset, begin, limit, keys,
                                              params.scale * kLog2E, [&] {
                                                if (index == 0) cp_async_wait<kPending>();  // V_j
                                                if (index == 0 || index == kChunks.count - 1) __syncthreads();
                                                if (index == kChunks.count - 1) {
                                                  issue_tile(k_ring + slot, params.k, work, kStages, params);
                                                }
                                              });
    };
#pragma unroll 1
    for (int index = 0; index < kChunks.count - 1; ++index) chunk(Constant<kChunks.width>{}, index);
    chunk(Constant<kChunks.last_width>{}, kChunks.count - 1);
    slot = slot == (kStages - 1) * kSlotBytes ? 0 : slot + kSlotBytes;
    advance(work, keys_ahead(work, 1));
  }
}

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    flash2_mma(const __grid_constant__ hbmscope::AttentionParams params) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_ring = q_tile + kShape.query_bytes();
  const unsigned v_ring = k_ring + kStages * kSlotBytes;
  Work work = find_work(params);

  const char* const q = static_cast<const char*>(params.q) + static_cast<long long>(work.q_row) * kRowBytes;
  copy_tile<kBr>(q_tile, q, params.seqlen_q - work.query);
  cp_async_commit();
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_tile(k_ring + static_cast<unsigned>(stage * kSlotBytes), params.k, work, stage, params);
    if (stage < kStages - 1) {
      issue_tile(v_ring + static_cast<unsigned>(stage * kSlotBytes), params.v, work, stage, params);
    }
  }

  WarpState state;
  clear(state.rows);
  clear(state.output);
  state.query.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  if (kHeld && is_visited(work, 0, params)) {
    cp_async_wait<2 * kStages - 1>();  // Q
    __syncthreads();
    state.query.load();
  }
  process_tiles(state, work, k_ring, v_ring, warp_row, params);
  cp_async_wait<0>();
  store_results(state, find_work(params), warp_row, params);
}
