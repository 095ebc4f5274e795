#pragma once

#include <cstddef>

#include "sim/gpu.h"
#include "sim/l2/l2_model.h"
#include "sim/program.h"
#include "sim/stop.h"
#include "sim/traffic.h"

namespace hbmscope {

// One standard deviation of how much of what comes again the L2 has kept, as a share of its capacity: what
// the replay itself does not know. Chosen on the points of configs/sweeps/fresh.txt (docs/l2_replay.md).
inline constexpr double kUnsureCapacity = 0.035;

// Within how many of their standard deviations 90 % of further values lie, where so many (2 to 15) were drawn
// from a normal distribution: t √(1 + 1/n), t being Student's 95 % quantile for n − 1 degrees of freedom.
double prediction_reach(std::size_t values);

// The replay of several placements: the one with the median of bytes read stands for all. The band around it
// holds 90 % of a normal distribution whose deviation is that of the placements and of what the L2 keeps: the
// median placement is replayed in a larger and in a smaller one. `traffic` is the program's.
void replay_placements(const Program& program, const GpuSpec& gpu, const Traffic& traffic, HbmTraffic& hbm,
                       StopFlag stop = nullptr);

}  // namespace hbmscope
