// standard, launch 3: O = P V (kernels/device/standard_pv.cuh).

#include "kernels/device/standard_pv.cuh"

namespace hbmscope {

struct StoredProbabilities {
  __device__ __forceinline__ void begin(const AttentionParams&, int, int) const {}
  __device__ __forceinline__ void transform(unsigned (&)[kTiles][4], const AttentionParams&, int, int) const {
  }
  __device__ __forceinline__ float factor(int, int) const { return 1.0f; }
};

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    standard_pv(const __grid_constant__ hbmscope::AttentionParams params) {
  hbmscope::StoredProbabilities weights;
  hbmscope::multiply_weights(params, params.p, weights);
}
