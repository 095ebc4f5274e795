#pragma once

#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {

// Launch 1 of `standard-online`: standard's, which also keeps each row's maximum and sum over the tile. They
// take registers, more when they live on from one chunk to the next.
struct StandardOnlineQkShape : StandardQkShape {
  constexpr int registers_estimate() const {
    return StandardQkShape::registers_estimate() + (chunks().count > 1 ? 32 : 8);
  }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }
  // Per row: a rescale factor for each chunk, in each of the 4 lanes that share a row.
  constexpr int rescales_per_row() const { return 4 * chunks().count; }
};

// Launch 2: standard's third, with S in P's place and the statistics of each row.
struct StandardOnlinePvShape : StandardPvShape {
  constexpr int registers_estimate() const { return StandardPvShape::registers_estimate() + 8; }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }
};

}  // namespace hbmscope
