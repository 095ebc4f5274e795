#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/gpu.h"
#include "sim/program.h"

namespace hbmscope {

// How a launch fills a GPU.
struct Occupancy {
  std::int64_t ctas = 0;         // the grid's work items, or the persistent CTAs
  std::int64_t ctas_per_sm = 0;  // resident at once
  std::optional<double> waves;   // ctas / (ctas_per_sm · SMs); absent if not even one fits
  std::string_view limited_by;   // launch bounds, shared memory, threads or CTAs per SM
};

// For a launch with a described kernel (threads > 0). Registers bound it through the CTAs
// that __launch_bounds__ promises.
Occupancy occupancy_of(const Launch& launch, const Program& program, const GpuSpec& gpu);

// Why a launch cannot run on this GPU, with need and limit: "" if it can.
std::string launch_limit(const Launch& launch, const GpuSpec& gpu);

}  // namespace hbmscope
