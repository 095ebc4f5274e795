#pragma once

#include <string_view>
#include <vector>

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/units.h"

namespace hbmscope {

// What the replay takes from a GPU's description and few descriptions have, because somebody must have
// measured it (hbmscope calibrate).
struct ReplayValues {
  Bytes ways = 0;
  Bytes stretch_bytes = 0;
  std::vector<std::int64_t> stretch_swaps;
  double dirty_share = 0;
  double shared_step_deviation = 0;
  double lone_sm_deviation = 0;
  double gpc_clock_deviation = 0;
};

// Of this GPU, or the H200's where it lacks them.
ReplayValues replay_values(const GpuSpec& gpu);

// Of the launch's kernel at the program's head dim, between measured head dims by a straight line; else those
// that stand for all kernels. What another kernel's description says of its younger CTAs goes before.
CtaRates cta_rates(const Launch& launch, const Program& program, const GpuSpec& gpu);

// What the GPU lacks and the H200 stands in for: "ways", "stretch", …; empty if it lacks nothing.
std::vector<std::string_view> assumed_values(const GpuSpec& gpu);

}  // namespace hbmscope
