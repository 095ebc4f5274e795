// flash1 with timestamps: when each CTA begins and ends, and on which SM. The steps are those of the kernel
// itself, which is included. Compile-time parameters: those of flash1_mma.cu, with a full mask.

#include "kernels/device/flash1_mma.cu"
#include "profiler/calibration/device/cta_times.cuh"

namespace hbmscope {
namespace {

static_assert(HBMSCOPE_MASK == 0);

// All visits of one K/V tile.
__device__ __forceinline__ void visit_tiles(WarpState& state, const AttentionParams& params, int q_tiles,
                                            int kv_tile) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned k_tile = dynamic_shared_address();
  const unsigned v_tile = k_tile + kKeyValueBytes;
  const unsigned q_ring = v_tile + kKeyValueBytes;
  const unsigned q_lane = static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  const int key = kv_tile * kBc;
  const long long offset = (key_value_row(params) + key) * kRowBytes;
  const char* const k = static_cast<const char*>(params.k) + offset;
  const char* const v = static_cast<const char*>(params.v) + offset;
  copy_rows<kThreads, kBc, kHeadDim>(k_tile, k, params.seqlen_kv - key, k);
  copy_rows<kThreads, kBc, kHeadDim>(v_tile, v, params.seqlen_kv - key, v);
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_q_tile(q_ring + static_cast<unsigned>(stage * kSlotBytes), params, stage, q_tiles);
  }
  unsigned slot = 0;
#pragma unroll 1
  for (int tile = 0; tile < q_tiles; ++tile) {
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

}  // namespace
}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    trace_ctas(const __grid_constant__ hbmscope::AttentionParams params, hbmscope::CtaTimes* times) {
  using namespace hbmscope;
  note_begin(times);
  const int q_tiles = (params.seqlen_q - 1) / kBr + 1;
  WarpState state;
  initialise(state, params, q_tiles);
#pragma unroll 1
  for (int kv_tile = (params.seqlen_kv - 1) / kBc; kv_tile >= 0; --kv_tile) {
    visit_tiles(state, params, q_tiles, kv_tile);
  }
  cp_async_wait<0>();
  note_end(times);
}
