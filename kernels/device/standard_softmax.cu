// standard, launch 2: P = softmax(S) row by row, with the mask. A row of s_columns elements is read once,
// held in registers and written once; structure and counts stand in sim/kernel_shapes/standard_mma.h.
// Compile-time parameters: HBMSCOPE_THREADS_PER_ROW, HBMSCOPE_VECTORS_PER_THREAD, HBMSCOPE_DTYPE_BF16 (0:
// fp16), HBMSCOPE_MASK (0: full, 1: causal).

#include "kernels/device/params.h"
#include "kernels/device/ptx.cuh"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

inline constexpr StandardSoftmaxShape kShape{HBMSCOPE_THREADS_PER_ROW, HBMSCOPE_VECTORS_PER_THREAD};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;
inline constexpr bool kCausal = HBMSCOPE_MASK == 1;

inline constexpr int kRowThreads = kShape.threads_per_row;
inline constexpr int kVectors = kShape.vectors_per_thread;
inline constexpr int kRowsPerCta = kShape.rows_per_cta();
inline constexpr int kThreads = kShape.threads();
inline constexpr int kWarpsPerRow = kShape.warps_per_row();
inline constexpr int kCtasPerSm = kShape.ctas_per_sm();
inline constexpr float kLog2E = 1.4426950408889634f;

// Combines one value per thread over the threads of a row; `partial` holds one value per warp. kMax: maximum,
// otherwise sum. Every thread of the row gets the result.
template <bool kMax>
__device__ __forceinline__ float reduce_row(float x, float* partial) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, x, distance);
    x = kMax ? fmaxf(x, other) : x + other;
  }
  if constexpr (kWarpsPerRow > 1) {
    if (lane == 0) partial[threadIdx.x / kWarpThreads] = x;
    __syncthreads();
    x = partial[lane % kWarpsPerRow];
#pragma unroll
    for (int distance = kWarpsPerRow / 2; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, x, distance);
      x = kMax ? fmaxf(x, other) : x + other;
    }
  }
  return x;
}

// A score that the row does not see counts as -inf: the mask and the padding of the row.
__device__ __forceinline__ float masked(float score, int column, int visible) {
  return column < visible ? score : minus_infinity();
}

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    standard_softmax(const __grid_constant__ hbmscope::AttentionParams params) {
  using namespace hbmscope;
  __shared__ float partial[2][kWarpsPerRow];
  const int thread = static_cast<int>(threadIdx.x) % kRowThreads;
  // Grid: tiles of kRowsPerCta rows (fastest), then head and batch, so that no CTA straddles two matrices.
  const int row_tiles = (params.seqlen_q - 1) / kRowsPerCta + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int query = block % row_tiles * kRowsPerCta + static_cast<int>(threadIdx.x) / kRowThreads;
  if (query >= params.seqlen_q) return;  // a whole warp, and only where rows share no barrier
  const long long row = static_cast<long long>(block / row_tiles) * params.seqlen_q + query;

  int visible = params.seqlen_kv;
  if (kCausal) visible = query + 1 + params.seqlen_kv - params.seqlen_q;
  const long long row_offset = row * params.s_columns * kMmaElementBytes;
  const char* const s = static_cast<const char*>(params.s) + row_offset;
  char* const p = static_cast<char*>(params.p) + row_offset;

  Piece scores[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int column = (v * kRowThreads + thread) * kPieceElements;
    if (column < params.s_columns) {
      scores[v] = load_global_piece(s + column * kMmaElementBytes);
    } else {
      scores[v] = Piece{{0, 0, 0, 0}};
    }
  }

  float max = minus_infinity();
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = (v * kRowThreads + thread) * kPieceElements + 2 * i;
      float low, high;
      unpack<kBf16>(scores[v].word[i], low, high);
      max = fmaxf(max, fmaxf(masked(low, column, visible), masked(high, column + 1, visible)));
    }
  }
  max = reduce_row<true>(max, partial[0]);
  if (max == minus_infinity()) max = 0.0f;  // the row sees no key: every exponential below is 2^-inf = 0

  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = (v * kRowThreads + thread) * kPieceElements + 2 * i;
      float low, high;
      unpack<kBf16>(scores[v].word[i], low, high);
      sum += exp2_approx((masked(low, column, visible) - max) * kLog2E);
      sum += exp2_approx((masked(high, column + 1, visible) - max) * kLog2E);
    }
  }
  sum = reduce_row<false>(sum, partial[1]);
  const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;

#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int first_column = (v * kRowThreads + thread) * kPieceElements;
    unsigned word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = first_column + 2 * i;
      float low, high;
      unpack<kBf16>(scores[v].word[i], low, high);
      word[i] = pack<kBf16>(exp2_approx((masked(low, column, visible) - max) * kLog2E) * inverse,
                            exp2_approx((masked(high, column + 1, visible) - max) * kLog2E) * inverse);
    }
    if (first_column < params.s_columns) store_global_piece(p + first_column * kMmaElementBytes, word);
  }
}
