#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/gpu.h"
#include "sim/problem.h"

namespace hbmscope {

enum class Roof : std::uint8_t { hbm, l2, sram, tensor, exp };
inline constexpr std::size_t kRoofs = 5;
std::string_view to_string(Roof roof);

// What a launch asks of each roof, in the order of Roof: bytes, bytes, bytes, FLOPs, exponentials.
using Demand = std::array<std::uint64_t, kRoofs>;

// What a GPU gives each second; a roof that nobody knows the height of is absent.
using Roofs = std::array<std::optional<double>, kRoofs>;
Roofs roofs_of(const GpuSpec& gpu, DataType dtype);

// The largest of demand / rate: a lower bound of the time, for nothing else can be faster than its busiest
// part (Williams, Waterman, Patterson 2009, one roof for each level).
struct RoofTime {
  double time_s = 0;
  Roof roof = Roof::hbm;
};
RoofTime bound_of(const Demand& demand, const Roofs& roofs);

}  // namespace hbmscope
