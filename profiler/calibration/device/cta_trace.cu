// Two CTAs on each SM that walk over the same K/V tiles as flash2's do, and write down the time now and then:
// how much slower the younger one goes, and how much faster once the older one has ended. It is flash2's loop
// without its edges: every tile is whole, every key is seen, one K/V ring slot, O goes nowhere.
// Compile-time parameter: HBMSCOPE_HEAD_DIM.

#include "kernels/device/softmax.cuh"
#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"
#include "sim/kernel_shapes/flash2_mma.h"

namespace hbmscope {
namespace {

constexpr Flash2MmaShape kShape{{128, 64, HBMSCOPE_HEAD_DIM}, 1};
constexpr int kHeadDim = kShape.head_dim;
constexpr int kThreads = kShape.threads();
constexpr int kTiles = kShape.rows_per_warp() / kMmaStep;
constexpr int kRowBytes = kHeadDim * kMmaElementBytes;
constexpr int kTileBytes = kShape.key_bytes();
constexpr int kCtasPerSm = 2;

struct WarpState {
  QueryFragments<kTiles, kHeadDim, kShape.q_in_registers()> query;
  RowState<kTiles> rows;
  float output[kTiles][kHeadDim / 8][4];
};

__device__ __forceinline__ void copy_tile(unsigned shared, const char* tile) {
  copy_rows_quickly<kThreads, kShape.bc, kHeadDim>(shared, tile, kShape.bc, tile);
  cp_async_commit();
}

// One K/V tile: its K and V are under way. Those of the next K follow when everybody has read K.
__device__ __forceinline__ void take_step(WarpState& state, unsigned k_slot, unsigned v_slot,
                                          const char* this_v, const char* next_k) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  float scores[kTiles][kShape.bc / 8][4];
  cp_async_wait<0>();  // K
  __syncthreads();
  copy_tile(v_slot, this_v);
  multiply_keys<true, kTiles, kShape.bc, kHeadDim, kShape.q_in_registers()>(
      scores, state.query, k_slot + static_cast<unsigned>(b_fragment_offset<kHeadDim>(lane)));
  cp_async_wait<0>();  // V
  __syncthreads();
  copy_tile(k_slot, next_k);
  online_softmax(scores, state.rows, state.output, 0.1f);
  const unsigned v_address = v_slot + static_cast<unsigned>(a_fragment_offset<kHeadDim>(lane));
#pragma unroll
  for (int keys = 0; keys < kShape.bc / kMmaStep; ++keys) {
    unsigned a[kTiles][4];
    pack_probabilities<true>(a, scores, keys);
    multiply_values<true, kTiles, kHeadDim>(state.output, a,
                                            v_address + static_cast<unsigned>(keys * kMmaStep * kRowBytes));
  }
}

__device__ __forceinline__ float sum_of(const WarpState& state) {
  float sum = 0;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
    sum += state.rows.sum[tile][0] + state.rows.sum[tile][1];
#pragma unroll
    for (int block = 0; block < kHeadDim / 8; ++block) {
      const float(&o)[4] = state.output[tile][block];
      sum += o[0] + o[1] + o[2] + o[3];
    }
  }
  return sum;
}

}  // namespace
}  // namespace hbmscope

// `tiles` whole tiles of K and of V, a power of two, are read again and again. times_ns[cta * (pieces + 1) +
// i]: when the CTA had done i pieces of kTracedSteps tiles each.
extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    trace_ctas(const char* q, const char* k, const char* v, int tiles, int pieces,
               unsigned long long* times_ns, unsigned* sm_of_cta, float* sums) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kShape.rows_per_warp();
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_slot = q_tile + kShape.query_bytes();
  const unsigned v_slot = k_slot + kTileBytes;
  copy_rows_quickly<kThreads, kShape.br, kHeadDim>(q_tile, q, kShape.br, q);
  copy_tile(k_slot, k);
  WarpState state;
  clear(state.rows);
  clear(state.output);
  state.query.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  cp_async_wait<0>();
  __syncthreads();
  state.query.load();
  // Addresses are computed when they are needed: registers are what this kernel lacks.
  const auto note_time = [&](int piece) {
    if (threadIdx.x == 0) times_ns[static_cast<long long>(blockIdx.x) * (pieces + 1) + piece] = nanoseconds();
  };
  if (threadIdx.x == 0) sm_of_cta[blockIdx.x] = sm_id();
  note_time(0);
#pragma unroll 1
  for (int step = 0; step < pieces * kTracedSteps; ++step) {
    take_step(state, k_slot, v_slot, v + static_cast<long long>(step & (tiles - 1)) * kTileBytes,
              k + static_cast<long long>((step + 1) & (tiles - 1)) * kTileBytes);
    if ((step + 1) % kTracedSteps == 0) note_time((step + 1) / kTracedSteps);
  }
  cp_async_wait<0>();
  sums[blockIdx.x * kThreads + threadIdx.x] = sum_of(state);
}
