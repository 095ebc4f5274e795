#pragma once

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace hbmscope {

// What a CTA loses while a byte that it loads comes from DRAM rather than the L2, in bytes that it would have
// moved meanwhile, where a launch does nothing but move bytes: CTAs that find theirs in the L2 run ahead.
// From the two bandwidths: DRAM takes (loads + stores) / HBM rate for what the L2 gives in (loads + stores) /
// L2 rate. 0 for a launch with products, of a GPU whose L2 rate is not known, and where so few CTAs run that
// DRAM serves them as fast as the L2.
double stream_stall(const Program& program, const Traffic& traffic, int launch, const GpuSpec& gpu);

}  // namespace hbmscope
