#pragma once

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/record.h"
#include "sim/traffic.h"

namespace hbmscope {

// What DRAM will be asked for.
struct HbmTraffic {
  FixedList<ReadWrite, kMaxLaunches> launches;  // as in Program::launches
  ReadWrite total;
};

// The seam between the closed forms and the L2: every mode answers the same question. L2Mode::none takes the
// compulsory bytes, an L2 without limits. Throws UserError (--l2) for a mode that is not built in.
HbmTraffic hbm_traffic(const Program& program, const Traffic& traffic, const GpuSpec& gpu, L2Mode mode);

}  // namespace hbmscope
