// standard-online, launch 1: S = scale Q K^T (kernels/device/standard_qk.cuh), and of each row the maximum m
// and the sum l = sum 2^(x - m) over the tile's keys that the row sees, with x = S log2(e) of the stored S.
// m and l have a row for each kv tile and a column for each query. Further compile-time parameter:
// HBMSCOPE_MASK (0: full, 1: causal).

#include "kernels/device/standard_qk.cuh"
#include "sim/kernel_shapes/standard_online_mma.h"

namespace hbmscope {

inline constexpr StandardOnlineQkShape kOnlineShape{kShape};
inline constexpr bool kCausal = HBMSCOPE_MASK == 1;
inline constexpr float kLog2E = 1.4426950408889634f;

// Rounds the scores to what is stored.
template <int kBlocks>
__device__ __forceinline__ void round_scores(float (&scores)[kTiles][kBlocks][4]) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      float(&s)[4] = scores[tile][block];
      unpack<kBf16>(pack<kBf16>(s[0], s[1]), s[0], s[1]);
      unpack<kBf16>(pack<kBf16>(s[2], s[3]), s[2], s[3]);
    }
  }
}

struct TileStatistics {
  RowState<kTiles> rows;

  __device__ __forceinline__ void begin() { clear(rows); }

  // Columns from `column` on of this warp's rows, the first of which is `query`.
  template <int kBlocks>
  __device__ __forceinline__ void add(const AttentionParams& params, float (&scores)[kTiles][kBlocks][4],
                                      int query, int column) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int keys = params.seqlen_kv - column;
    const int limit = kCausal ? query + 1 + keys - params.seqlen_q : keys;
    round_scores(scores);
    if (min(limit, keys) < kBlocks * 8) mask_scores(scores, limit, kCausal ? 1 : 0, keys, lane);
    float output[kTiles][1][4];  // there is none to rescale
    clear(output);
    online_softmax(scores, rows, output, kLog2E);
  }

  __device__ __forceinline__ void store(const AttentionParams& params, int head_and_batch, int first_key,
                                        int query) {
    if (first_key >= params.seqlen_kv) return;  // a tile of the rows' padding
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const long long kv_tiles = (params.seqlen_kv - 1) / kBc + 1;
    const long long first = (head_and_batch * kv_tiles + first_key / kBc) * params.statistics_columns;
    finish_sums(rows);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = query + tile * kMmaStep + half * 8 + lane / 4;
        if (lane % 4 == 0 && row < params.statistics_columns) {
          store_global_float(params.m + first + row, rows.max[tile][half]);
          store_global_float(params.l + first + row, rows.sum[tile][half]);
        }
      }
    }
  }
};

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kOnlineShape.ctas_per_sm())
    standard_online_qk(const __grid_constant__ hbmscope::AttentionParams params) {
  hbmscope::TileStatistics statistics;
  hbmscope::compute_scores(params, statistics);
}
