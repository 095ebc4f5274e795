// O = PV of standard with timestamps: when each CTA begins and ends, and on which SM. Compile-time
// parameters: those of standard_pv.cu.

#include "kernels/device/standard_pv.cu"
#include "profiler/calibration/device/cta_times.cuh"

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    trace_ctas(const __grid_constant__ hbmscope::AttentionParams params, hbmscope::CtaTimes* times) {
  using namespace hbmscope;
  note_begin(times);
  StoredProbabilities weights;
  multiply_weights(params, params.p, weights);
  note_end(times);
}
