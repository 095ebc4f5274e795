#pragma once

#include "kernels/device/ptx.cuh"
#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"

namespace hbmscope {

// By one thread of a CTA, at its place among `times`. Addresses are computed when they are needed: registers
// are what traced kernels lack.
__device__ __forceinline__ void note_begin(CtaTimes* times) {
  if (threadIdx.x != 0) return;
  times[blockIdx.x].sm = sm_id();
  times[blockIdx.x].begin_ns = nanoseconds();
  times[blockIdx.x].cycles = clock_cycles();
}
__device__ __forceinline__ void note_end(CtaTimes* times) {
  if (not_hoisted(threadIdx.x) != 0) return;
  CtaTimes& time = times[not_hoisted(blockIdx.x)];
  time.cycles = clock_cycles() - time.cycles;
  time.end_ns = nanoseconds();
}

}  // namespace hbmscope
