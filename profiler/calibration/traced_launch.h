#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/device/params.h"
#include "profiler/calibration/cta_rates.h"
#include "profiler/calibration/device/results.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/probe.h"
#include "profiler/calibration/traced_work.h"

namespace hbmscope {

// What traced kernels read: pairs of bf16 numbers of either sign between 1/2 and 1, as many as have been
// asked for. Not zeros: with what changes from one operand to the next the power of the tensor cores changes,
// and the clock.
class RandomPairs {
 public:
  CUdeviceptr at_least(std::size_t pairs);

 private:
  std::size_t size_ = 0;
  std::unique_ptr<DeviceBuffer> buffer_;
};

// Launches of so many equal CTAs of a kernel, again and again.
class TracedLaunch {
 public:
  // `probe` and `inputs` must outlive it.
  TracedLaunch(Probe& probe, RandomPairs& inputs, const TracedKernel& traced, std::size_t ctas,
               const TracedWork& work);

  std::vector<CtaTrace> run();

 private:
  std::size_t rows() const { return ctas_ * static_cast<std::size_t>(work_.rows_of_cta); }
  std::size_t heads() const { return parts(work_.ctas_of_head); }
  std::size_t kv_heads() const { return parts(work_.ctas_of_kv_head); }
  std::size_t parts(std::size_t ctas_of_part) const;
  std::size_t query_pairs() const;
  std::size_t key_pairs() const;
  std::size_t weight_pairs() const;
  std::size_t statistics() const;
  AttentionParams params();

  Probe& probe_;
  RandomPairs& inputs_;
  TracedKernel traced_;
  TracedWork work_;
  Kernel kernel_;
  std::size_t ctas_;
  DeviceArray<std::uint32_t> o_;
  DeviceArray<float> o_fp32_;
  DeviceArray<float> l_;  // zeros: with any other values it takes as long
  DeviceArray<float> m_;
  DeviceArray<CtaTimes> times_;
};

}  // namespace hbmscope
