// standard, launch 2: P = softmax(S) row by row, with the mask. A row of s_columns elements is read once,
// held in registers and written once; structure and counts stand in sim/kernel_shapes/standard_mma.h.
// Compile-time parameters: HBMSCOPE_THREADS_PER_ROW, HBMSCOPE_VECTORS_PER_THREAD, HBMSCOPE_DTYPE_BF16 (0:
// fp16), HBMSCOPE_MASK (0: full, 1: causal, 2: window).

#include "kernels/device/params.h"
#include "kernels/device/ptx.cuh"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

inline constexpr StandardSoftmaxShape kShape{HBMSCOPE_THREADS_PER_ROW, HBMSCOPE_VECTORS_PER_THREAD};
static_assert(kShape.supported());
inline constexpr bool kBf16 = HBMSCOPE_DTYPE_BF16 != 0;
inline constexpr bool kCausal = HBMSCOPE_MASK != 0;  // a window is causal, too
inline constexpr bool kWindow = HBMSCOPE_MASK == 2;

inline constexpr int kRowThreads = kShape.threads_per_row;
inline constexpr int kVectors = kShape.vectors_per_thread;
inline constexpr bool kKept = kShape.exponentials_kept();
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

// The keys [begin, end) that a row's query sees. What lies outside, padding included, counts as -inf.
struct VisibleKeys {
  int begin;
  int end;

  __device__ __forceinline__ float masked(float score, int column) const {
    return column < end && (!kWindow || column >= begin) ? score : minus_infinity();
  }
};

__device__ __forceinline__ VisibleKeys visible_keys(int query, const AttentionParams& params) {
  if (!kCausal) return {0, params.seqlen_kv};
  const int end = query + 1 + params.seqlen_kv - params.seqlen_q;
  return {end - params.window, end};
}

// The first column of a thread's vector.
__device__ __forceinline__ int column_of(int vector) {
  return (vector * kRowThreads + static_cast<int>(threadIdx.x) % kRowThreads) * kPieceElements;
}

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    standard_softmax(const __grid_constant__ hbmscope::AttentionParams params) {
  using namespace hbmscope;
  __shared__ float partial[2][kWarpsPerRow];
  // Grid: tiles of kRowsPerCta rows (fastest), then head and batch, so that no CTA straddles two matrices.
  const int row_tiles = (params.seqlen_q - 1) / kRowsPerCta + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int query = block % row_tiles * kRowsPerCta + static_cast<int>(threadIdx.x) / kRowThreads;
  if (query >= params.seqlen_q) return;  // a whole warp, and only where rows share no barrier
  const long long row = static_cast<long long>(block / row_tiles) * params.seqlen_q + query;

  const VisibleKeys visible = visible_keys(query, params);
  const long long row_offset = row * params.s_columns * kMmaElementBytes;
  const char* const s = static_cast<const char*>(params.s) + row_offset;
  char* const p = static_cast<char*>(params.p) + row_offset;

  Piece scores[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    if (column_of(v) < params.s_columns) {
      scores[v] = load_global_piece(s + column_of(v) * kMmaElementBytes);
    } else {
      scores[v] = Piece{{0, 0, 0, 0}};
    }
  }
  // Scores 2 word and 2 word + 1 of a vector.
  const auto masked_scores = [&](int v, int word, float& low, float& high) {
    const int column = column_of(v) + 2 * word;
    // Every pass unpacks anew: kept from one to the next, long rows would not fit the registers.
    unpack<kBf16>(kKept ? scores[v].word[word] : not_hoisted(scores[v].word[word]), low, high);
    low = visible.masked(low, column);
    high = visible.masked(high, column + 1);
  };

  float max = minus_infinity();
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      float low, high;
      masked_scores(v, word, low, high);
      max = fmaxf(max, fmaxf(low, high));
    }
  }
  max = reduce_row<true>(max, partial[0]);
  // 2^(score log2(e) - subtracted): one rounded value for the sum and for the results, in which it cancels. A
  // row that sees no key subtracts 0, and every exponential is 2^-inf = 0.
  const float subtracted = max == minus_infinity() ? 0.0f : max * kLog2E;
  const auto exponentials = [&](int v, int word, float& low, float& high) {
    masked_scores(v, word, low, high);
    low = exp2_approx(fmaf(low, kLog2E, -subtracted));
    high = exp2_approx(fmaf(high, kLog2E, -subtracted));
  };

  float kept[kKept ? kVectors : 1][4][2];
  float sum = 0.0f;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      float low, high;
      exponentials(v, word, low, high);
      sum += low + high;
      if (kKept) {
        kept[v][word][0] = low;
        kept[v][word][1] = high;
      }
    }
  }
  sum = reduce_row<false>(sum, partial[1]);
  const float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;

#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    unsigned packed[4];
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      float low, high;
      if (kKept) {
        low = kept[v][word][0];
        high = kept[v][word][1];
      } else {
        exponentials(v, word, low, high);
      }
      packed[word] = pack<kBf16>(low * inverse, high * inverse);
    }
    if (column_of(v) < params.s_columns) store_global_piece(p + column_of(v) * kMmaElementBytes, packed);
  }
}
