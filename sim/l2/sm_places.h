#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpu.h"

namespace hbmscope {

// An SM by its number in the order in which a full launch fills them, the side of the L2 that it is on, and
// its GPC: the run of SMs that it belongs to.
struct SmPlace {
  int sm = 0;
  int side = 0;
  int gpc = 0;
};

// Where the CTAs of a launch go of which every SM gets one at most. Few CTAs are dealt to all GPCs, and in
// those to all TPCs. A GPU whose order nobody has measured has runs of an eighth of its SMs on alternating
// sides. Where the order differs from one GPU of a name to the next, `seed` says with which run it goes on
// after the first.
std::vector<SmPlace> places_of_ctas(const GpuSpec& gpu, std::int64_t ctas, std::uint64_t seed);

}  // namespace hbmscope
