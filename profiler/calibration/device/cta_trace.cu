// flash2 with timestamps: how much slower the younger of two CTAs of an SM goes, and how much faster one that
// is alone. Loop and steps are those of the kernel itself, which is included: a CTA takes the K/V tiles of
// one head in pieces of kTracedSteps, and notes the time between two of them. Only the first K tile of a
// piece is waited for longer than in flash2. Compile-time parameters: those of flash2_mma.cu, with a full
// mask and K/V walked up.

#include "kernels/device/flash2_mma.cu"
#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"

namespace hbmscope {
namespace {

static_assert(HBMSCOPE_MASK == 0 && HBMSCOPE_KV_WALK == 0);
constexpr unsigned kPieceKeys = kTracedSteps * kBc;

// Numbers are computed when they are needed: registers are what this kernel lacks.
__device__ __forceinline__ void note_time(const Work& work, unsigned long long* times_ns) {
  if (not_hoisted(threadIdx.x) != 0) return;
  times_ns[work.kv_row / kPieceKeys * gridDim.x + not_hoisted(blockIdx.x)] = nanoseconds();
}

// Starts copying what flash2's loop expects to be under way.
__device__ __forceinline__ void issue_first_tiles(unsigned k_ring, unsigned v_ring, const Work& work,
                                                  const AttentionParams& params) {
#pragma unroll
  for (int stage = 0; stage < kStages; ++stage) {
    issue_tile(k_ring + static_cast<unsigned>(stage * kSlotBytes), params.k, work, stage, params);
    if (stage < kStages - 1) {
      issue_tile(v_ring + static_cast<unsigned>(stage * kSlotBytes), params.v, work, stage, params);
    }
  }
}

}  // namespace
}  // namespace hbmscope

// One head of seqlen_kv keys, a multiple of a piece. times_ns[i * CTAs + cta]: when the CTA had done i
// pieces.
extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    trace_ctas(const __grid_constant__ hbmscope::AttentionParams params, unsigned long long* times_ns,
               unsigned* sm_of_cta) {
  using namespace hbmscope;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarpThreads * kWarpRows;
  const unsigned q_tile = dynamic_shared_address();
  const unsigned k_ring = q_tile + kShape.query_bytes();
  const unsigned v_ring = k_ring + kStages * kSlotBytes;
  Work work = find_work(params);
  if (threadIdx.x == 0) sm_of_cta[blockIdx.x] = sm_id();

  const char* const q = static_cast<const char*>(params.q) + static_cast<long long>(work.q_row) * kRowBytes;
  copy_tile<kBr>(q_tile, q, params.seqlen_q - work.query);
  cp_async_commit();
  WarpState state;
  clear(state.rows);
  clear(state.output);
  state.query.address =
      q_tile + static_cast<unsigned>(warp_row * kRowBytes + a_fragment_offset<kHeadDim>(lane));
  cp_async_wait<0>();
  __syncthreads();
  if (kHeld) state.query.load();
#pragma unroll 1
  while (work.kv_row < static_cast<unsigned>(params.seqlen_kv)) {
    note_time(work, times_ns);
    work.keys = kPieceKeys;
    issue_first_tiles(k_ring, v_ring, work, params);
    process_tiles(state, work, k_ring, v_ring, warp_row, params);
    __syncthreads();  // everybody has read the last tiles
  }
  note_time(work, times_ns);
  store_results(state, find_work(params), warp_row, params);
}
