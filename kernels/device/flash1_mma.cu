// flash1, variant mma: FlashAttention (Dao et al. 2022, Algorithm 1) with cp.async, ldmatrix and mma.sync,
// sm_80 and up. One CTA computes O of one query head; structure and counts stand in
// sim/kernel_shapes/flash1_mma.h. Compile-time parameters: HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM,
// HBMSCOPE_STAGES, HBMSCOPE_DTYPE_BF16 (0: fp16), HBMSCOPE_MASK (0: full,
// 1: causal).
//
// Between the K/V tiles a row's O (normalised, fp32), l and m live in global memory, as in the paper:
// m = max x and l = sum 2^(x - m) over the keys so far, with x = score * scale * log2(e). K/V tiles are
// walked from the last to the first, because every q tile that sees any key sees the first tile: there its O
// is complete and leaves in the problem's type. Every element of O, l and m is loaded and stored by the same
// thread, whose accesses to one address stay in order without a barrier or a fence.

#include "kernels/device/epilogue.cuh"
#include "kernels/device/params.h"
#include "sim/kernel_shapes/flash1_mma.h"

namespace hbmscope {

inline constexpr Flash1MmaShape kShape{{HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM}, HBMSCOPE_STAGES};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;
inline constexpr bool kCausal = HBMSCOPE_MASK == 1;

inline constexpr int kBr = kShape.br;
inline constexpr int kBc = kShape.bc;
inline constexpr int kHeadDim = kShape.head_dim;
inline constexpr int kStages = kShape.stages;
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpRows = kShape.rows_per_warp();
inline constexpr int kTiles = kWarpRows / kMmaStep;  // m16 tiles of a warp
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr ColumnChunks kChunks = kShape.chunks();
inline constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
inline constexpr int kSlotBytes = kShape.query_bytes();
inline constexpr int kKeyValueBytes = kShape.key_bytes();
inline constexpr float kLog2E = 1.4426950408889634f;

// Query head and batch of this CTA. Its rows are computed again where they are needed: that is cheaper than
// registers.
__device__ __forceinline__ long long query_head() { return static_cast<long long>(not_hoisted(blockIdx.x)); }

__device__ __forceinline__ const char* query_rows(const AttentionParams& params) {
  return static_cast<const char*>(params.q) + query_head() * params.seqlen_q * kRowBytes;
}

// First row of the head's K and V, counted over batch, heads and sequence.
__device__ __forceinline__ long long key_value_row(const AttentionParams& params) {
  const int head_and_batch = static_cast<int>(query_head());
  const int kv_head = head_and_batch % params.heads / (params.heads / params.kv_heads);
  return (static_cast<long long>(head_and_batch / params.heads) * params.kv_heads + kv_head) *
         params.seqlen_kv;
}

// The first q tile that sees the key: with a bottom-right mask query i sees keys up to i + Nkv - Nq.
__device__ __forceinline__ int first_q_tile(const AttentionParams& params, int key) {
  return kCausal ? max(0, key + params.seqlen_q - params.seqlen_kv) / kBr : 0;
}

// The state of a warp's rows while their q tile is visited.
struct WarpState {
  unsigned q_address;  // of this lane's row in the warp's first m16 tile
  RowState<kTiles> rows;
  float output[kTiles][kHeadDim / 8][4];
};

// Calls action(tile, half, query) for the rows of this lane.
template <typename Action>
__device__ __forceinline__ void for_rows(int first_query, Action action) {
  const int thread = static_cast<int>(not_hoisted(threadIdx.x));
  const int warp_row = thread / kWarpThreads * kWarpRows;
  const int lane_row = thread % kWarpThreads / 4;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      action(tile, half, first_query + warp_row + tile * kMmaStep + half * 8 + lane_row);
    }
  }
}

// Where this lane's two columns of each block of 8 stand in a row of O in fp32.
__device__ __forceinline__ float* fp32_row(const AttentionParams& params, int query) {
  return params.o_fp32 + (query_head() * params.seqlen_q + query) * kHeadDim + threadIdx.x % 4 * 2;
}

// A value of a row's 4 lanes that the first of them loads, as it is the one that stores it.
__device__ __forceinline__ float load_of_quad(const float* values, bool exists, float otherwise) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const float value = exists && lane % 4 == 0 ? load_global_float(values) : otherwise;
  return __shfl_sync(0xffffffffu, value, lane & ~3);
}

// Each lane gets the row's l as its sum; begin_output() makes it the row's.
__device__ __forceinline__ void load_state(WarpState& state, const AttentionParams& params, int first_query) {
  clear(state.output);
  for_rows(first_query, [&](int tile, int half, int query) {
    const long long at = query_head() * params.statistics_columns + query;
    const bool exists = query < params.statistics_columns;
    state.rows.max[tile][half] = load_of_quad(params.m + at, exists, minus_infinity());
    state.rows.sum[tile][half] = load_of_quad(params.l + at, exists, 0.0f);
    if (query >= params.seqlen_q) return;
    const float* const row = fp32_row(params, query);
#pragma unroll
    for (int block = 0; block < kHeadDim / 8; ++block) {
      float(&c)[4] = state.output[tile][block];
      load_global_floats(row + block * 8, c[half * 2], c[half * 2 + 1]);
    }
  });
}

// Undoes the normalisation of O; from here on each lane sums its own columns.
__device__ __forceinline__ void begin_output(WarpState& state) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = state.rows.sum[tile][half];
#pragma unroll
      for (int block = 0; block < kHeadDim / 8; ++block) {
        state.output[tile][block][half * 2] *= sum;
        state.output[tile][block][half * 2 + 1] *= sum;
      }
      if (threadIdx.x % 4 != 0) state.rows.sum[tile][half] = 0.0f;
    }
  }
}

// Writes l, m and O = output / l, in the problem's type if `complete`. A row that saw no key has l = 0.
__device__ __forceinline__ void store_state(WarpState& state, const AttentionParams& params, int first_query,
                                            bool complete) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  finish_sums(state.rows);
  for_rows(first_query, [&](int tile, int half, int query) {
    const float sum = state.rows.sum[tile][half];
    const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
    if (lane % 4 == 0 && query < params.statistics_columns) {
      store_global_float(params.m + query_head() * params.statistics_columns + query,
                         state.rows.max[tile][half]);
      store_global_float(params.l + query_head() * params.statistics_columns + query, sum);
    }
    const bool stored = query < params.seqlen_q;
    if (complete) {
      char* const row = static_cast<char*>(params.o) + (query_head() * params.seqlen_q + query) * kRowBytes;
      store_row<kBf16>(row, state.output[tile], half, inverse, kHeadDim, stored, lane);
    } else if (stored) {
      float* const row = fp32_row(params, query);
#pragma unroll
      for (int block = 0; block < kHeadDim / 8; ++block) {
        const float(&c)[4] = state.output[tile][block];
        store_global_floats(row + block * 8, c[half * 2] * inverse, c[half * 2 + 1] * inverse);
      }
    }
  });
}

// Line 2 of the algorithm: O = 0, l = 0, m = -inf. What no K/V tile visits is complete with that.
__device__ __forceinline__ void initialise(WarpState& state, const AttentionParams& params, int q_tiles) {
  clear(state.rows);
  clear(state.output);
  const int visited = first_q_tile(params, 0);
#pragma unroll 1
  for (int tile = 0; tile < q_tiles; ++tile) {
    store_state(state, params, tile * kBr, tile < visited);
  }
}

// Starts copying a q tile into its slot.
__device__ __forceinline__ void issue_q_tile(unsigned slot_address, const AttentionParams& params, int tile,
                                             int q_tiles) {
  if (tile < q_tiles) {
    const char* const q = query_rows(params);
    copy_rows<kThreads, kBr, kHeadDim>(slot_address, q + static_cast<long long>(tile) * kSlotBytes,
                                       params.seqlen_q - tile * kBr, q);
  }
  cp_async_commit();  // an empty group past the end keeps the count of groups
}

// One chunk of kColumns keys, the first of which stands at k_chunk and v_chunk. The warp's first row sees
// `limit` of them, no row more than `keys`.
template <int kColumns, typename AfterScores>
__device__ __forceinline__ void process_chunk(WarpState& state, unsigned k_chunk, unsigned v_chunk, int limit,
                                              int keys, float scale_log2, AfterScores after_scores) {
  const int lane = static_cast<int>(not_hoisted(threadIdx.x)) % kWarpThreads;
  float scores[kTiles][kColumns / 8][4];
  QueryFragments<kTiles, kHeadDim, false> query;
  query.address = state.q_address;
  multiply_keys<kBf16, kTiles, kColumns, kHeadDim, false>(
      scores, query, k_chunk + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane)));
  after_scores();
  if (min(limit, keys) < kColumns) mask_scores(scores, limit, kCausal ? 1 : 0, keys, lane);
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

// All chunks of the K/V tile whose first key is `key`, for the q tile whose first query is `query`.
__device__ __forceinline__ void process_tile(WarpState& state, const AttentionParams& params, unsigned k_tile,
                                             unsigned v_tile, int query, int key) {
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const auto chunk = [&](auto columns, int index) {
    const auto offset = static_cast<unsigned>(index * kChunks.width * kRowBytes);
    const int first_key = key + index * kChunks.width;
    const int keys = params.seqlen_kv - first_key;
    const int limit = kCausal ? query + warp_row + 1 + keys - params.seqlen_q : keys;
    process_chunk<decltype(columns)::value>(state, k_tile + offset, v_tile + offset, limit, keys,
                                            params.scale * kLog2E, [&] {
                                              if (index == 0) begin_output(state);
                                            });
  };
#pragma unroll 1
  for (int index = 0; index < kChunks.count - 1; ++index) chunk(Constant<kChunks.width>{}, index);
  chunk(Constant<kChunks.last_width>{}, kChunks.count - 1);
}

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    flash1_mma(const __grid_constant__ hbmscope::AttentionParams params) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned k_tile = dynamic_shared_address();
  const unsigned v_tile = k_tile + kKeyValueBytes;
  const unsigned q_ring = v_tile + kKeyValueBytes;
  const unsigned q_lane = static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  const int kv_tiles = (params.seqlen_kv - 1) / kBc + 1;

  WarpState state;
  initialise(state, params, q_tiles);
#pragma unroll 1
  for (int kv_tile = kv_tiles - 1; kv_tile >= 0; --kv_tile) {
    const int key = kv_tile * kBc;
    const char* const k = static_cast<const char*>(params.k) + (key_value_row(params) + key) * kRowBytes;
    const char* const v = static_cast<const char*>(params.v) + (key_value_row(params) + key) * kRowBytes;
    copy_rows<kThreads, kBc, kHeadDim>(k_tile, k, params.seqlen_kv - key, k);
    copy_rows<kThreads, kBc, kHeadDim>(v_tile, v, params.seqlen_kv - key, v);
    const int first_tile = first_q_tile(params, key);
#pragma unroll
    for (int stage = 0; stage < kStages; ++stage) {  // the first group has K and V, too
      issue_q_tile(q_ring + static_cast<unsigned>(stage * kSlotBytes), params, first_tile + stage, q_tiles);
    }
    unsigned slot = 0;  // offset of the current tile in its ring
#pragma unroll 1
    for (int tile = first_tile; tile < q_tiles; ++tile) {
      load_state(state, params, tile * kBr);
      cp_async_wait<kStages - 1>();
      __syncthreads();
      state.q_address = q_ring + slot + q_lane;
      process_tile(state, params, k_tile, v_tile, tile * kBr, key);
      __syncthreads();
      issue_q_tile(q_ring + slot, params, tile + kStages, q_tiles);
      store_state(state, params, tile * kBr, kv_tile == 0);
      slot = slot == (kStages - 1) * kSlotBytes ? 0 : slot + kSlotBytes;
    }
  }
  cp_async_wait<0>();
}
