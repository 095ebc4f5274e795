// standard, launch 1: S = scale Q K^T (kernels/device/standard_qk.cuh).

#include "kernels/device/standard_qk.cuh"

namespace hbmscope {

struct NoStatistics {
  __device__ __forceinline__ void begin() const {}
  template <typename Scores>
  __device__ __forceinline__ void add(const AttentionParams&, Scores&, int, int) {}
  __device__ __forceinline__ void store(const AttentionParams&, int, int, int) const {}
};

}  // namespace hbmscope

extern "C" __global__ void __launch_bounds__(hbmscope::kThreads, hbmscope::kCtasPerSm)
    standard_qk(const __grid_constant__ hbmscope::AttentionParams params) {
  hbmscope::NoStatistics statistics;
  hbmscope::compute_scores(params, statistics);
}
