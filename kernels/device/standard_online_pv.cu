// standard-online, launch 2: O = softmax(S) V (kernels/device/standard_pv.cuh). P is made of the fragments of
// S and the statistics m and l that launch 1 has left for each kv tile; it goes to no memory. Further
// compile-time parameter: HBMSCOPE_MASK (0: full, 1: causal).

#include "kernels/device/standard_pv.cuh"
#include "sim/kernel_shapes/standard_online_mma.h"

namespace hbmscope {

inline constexpr StandardOnlinePvShape kOnlineShape{kShape};
inline constexpr bool kCausal = HBMSCOPE_MASK == 1;
inline constexpr float kLog2E = 1.4426950408889634f;

// 0 stands in for the maximum of a row that sees no key, so that nothing becomes inf - inf.
__device__ __forceinline__ float finite_max(float max) { return max == minus_infinity() ? 0.0f : max; }

struct OnlineProbabilities {
  RowState<kTiles> rows;  // over all keys; max is finite

  // Merges the statistics of all kv tiles, of which the lanes of a quad take turns. The first of the warp's
  // rows is `query`.
  __device__ __forceinline__ void begin(const AttentionParams& params, int head_and_batch, int query) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int kv_tiles = (params.seqlen_kv - 1) / kBc + 1;
    const long long first = static_cast<long long>(head_and_batch) * kv_tiles * params.statistics_columns;
    clear(rows);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = query + tile * kMmaStep + half * 8 + lane / 4;
        const int end = row < params.statistics_columns ? kv_tiles : 0;
        float max = minus_infinity();
        float sum = 0.0f;
#pragma unroll 4
        for (int kv_tile = lane % 4; kv_tile < end; kv_tile += 4) {
          const long long at = first + static_cast<long long>(kv_tile) * params.statistics_columns + row;
          const float tile_max = load_global_float(params.m + at);
          const float tile_sum = load_global_float(params.l + at);
          const float new_max = fmaxf(max, tile_max);
          sum = sum * exp2_approx(max - finite_max(new_max)) +
                tile_sum * exp2_approx(tile_max - finite_max(new_max));
          max = new_max;
        }
        rows.max[tile][half] = finite_max(quad_max(max));
        rows.sum[tile][half] = quad_sum(sum * exp2_approx(max - rows.max[tile][half]));
      }
    }
  }

  // S of 16 keys from `key` on becomes 2^(S log2(e) - m), 0 where the row does not see the key.
  __device__ __forceinline__ void transform(unsigned (&a)[kTiles][4], const AttentionParams& params,
                                            int query, int key) const {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int word = 0; word < 4; ++word) {  // rows g, g + 8, then the same of columns + 8
        const int half = word % 2;
        const int row = query + tile * kMmaStep + half * 8 + lane / 4;
        const int seen = kCausal ? row + 1 + params.seqlen_kv - params.seqlen_q : params.seqlen_kv;
        const int visible = min(seen, params.seqlen_kv) - (key + word / 2 * 8 + lane % 4 * 2);
        float low, high;
        unpack<kBf16>(a[tile][word], low, high);
        low = exp2_approx(fmaf(visible > 0 ? low : minus_infinity(), kLog2E, -rows.max[tile][half]));
        high = exp2_approx(fmaf(visible > 1 ? high : minus_infinity(), kLog2E, -rows.max[tile][half]));
        a[tile][word] = pack<kBf16>(low, high);
      }
    }
  }

  __device__ __forceinline__ float factor(int tile, int half) const {
    const float sum = rows.sum[tile][half];
    return sum == 0.0f ? 0.0f : 1.0f / sum;
  }
};

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kOnlineShape.ctas_per_sm())
    standard_online_pv(const __grid_constant__ hbmscope::AttentionParams params) {
  hbmscope::OnlineProbabilities weights;
  hbmscope::multiply_weights(params, params.s, weights);
}
