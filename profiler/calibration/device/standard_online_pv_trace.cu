// O = softmax(S) V of standard-online with timestamps: when each CTA begins and ends, and on which SM.
// Compile-time parameters: those of standard_online_pv.cu, with a full mask.

#include "kernels/device/standard_online_pv.cu"
#include "profiler/calibration/device/cta_times.cuh"

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kOnlineShape.ctas_per_sm())
    trace_ctas(const __grid_constant__ hbmscope::AttentionParams params, hbmscope::CtaTimes* times) {
  using namespace hbmscope;
  note_begin(times);
  OnlineProbabilities weights;
  multiply_weights(params, params.s, weights);
  note_end(times);
}
