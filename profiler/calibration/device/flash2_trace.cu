// flash2 with timestamps: when each CTA begins and ends, and on which SM. The steps are those of the kernel
// itself, which is included. Compile-time parameters: those of flash2_mma.cu.

#include "kernels/device/flash2_mma.cu"
#include "profiler/calibration/device/cta_times.cuh"

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    trace_ctas(const __grid_constant__ hbmscope::AttentionParams params, hbmscope::CtaTimes* times) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_ring = q_tile + kShape.query_bytes();
  const unsigned v_ring = k_ring + kStages * kSlotBytes;
  Work work = find_work(params);
  note_begin(times);

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
  note_end(times);
}
