#pragma once

#include "sim/gpu.h"
#include "sim/l2/l2_geometry.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace hbmscope {

// How long a line that is written back stays in a set of the L2, in a launch: until SMs have moved so many
// bytes more (L2State::begin_launch). 0 where DRAM is not what the launch waits for, and for products on few
// SMs or of our kernels, which wait for each tile. `traffic` is the program's.
Bytes write_back_delay(const Program& program, const Traffic& traffic, int launch, const GpuSpec& gpu,
                       const L2Geometry& geometry);

}  // namespace hbmscope
