#pragma once

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/record.h"
#include "sim/traffic.h"

namespace hbmscope {

// What DRAM will be asked for in one launch.
struct LaunchHbmTraffic {
  FixedList<ReadWrite, kMaxTensors> tensors;  // as in Program::tensors
  ReadWrite total;
};

// What DRAM will be asked for by a program: bytes of every tensor in every launch, and their sums.
struct HbmTraffic {
  FixedList<LaunchHbmTraffic, kMaxLaunches> launches;  // as in Program::launches
  ReadWrite total;
};

// The seam between the closed forms and the L2: every mode answers the same question. L2Mode::none takes the
// compulsory bytes, an L2 without limits. Overwrites `hbm` without allocating. Throws UserError (--l2) for a
// mode that is not built in, and for sums that exceed 64 bits.
void hbm_traffic(const Program& program, const Traffic& traffic, const GpuSpec& gpu, L2Mode mode,
                 HbmTraffic& hbm);

}  // namespace hbmscope
