#pragma once

#include "sim/gpu.h"
#include "sim/l2/l2_model.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace hbmscope {

// Estimates what the replay counts, without a simulation: an access misses if, since the last one to the same
// bytes, more bytes were touched than the L2 holds. Overwrites hbm.launches; every count lies between the
// compulsory bytes and those of io. What views move is billed to their base.
void estimate_hbm(const Program& program, const Traffic& traffic, const GpuSpec& gpu, HbmTraffic& hbm);

}  // namespace hbmscope
