#include "sim/l2/set_map.h"

#include <utility>

namespace hbmscope {

SetMap::SetMap(L2Geometry geometry, std::uint64_t seed)
    : geometry_(std::move(geometry)),
      farther_swap_(static_cast<unsigned>(mixed(seed) % kStretchSwaps)),
      blocks_of_stretch_(geometry_.stretch_bytes / kL2BlockBytes),
      blocks_of_row_((blocks_of_stretch_ + kRowsOfStretch - 1) / kRowsOfStretch) {}

unsigned SetMap::swap_of(std::uint64_t run) const {
  unsigned swap = farther_swap_;
  for (const std::int64_t of_bit : geometry_.stretch_swaps) {
    if (run & 1U) swap ^= static_cast<unsigned>(of_bit);
    run >>= 1U;
  }
  return swap;
}

int SetMap::unit_of(Bytes address) const {
  const Bytes stretch = address / geometry_.stretch_bytes;
  const Bytes run = stretch / kStretchesOfRun;
  const unsigned swap = swap_of(run);
  const Bytes position = kStretchesOfRun * run + (stretch % kStretchesOfRun ^ swap / kRowsOfStretch);
  const Bytes group = position % static_cast<Bytes>(geometry_.groups);
  const Bytes block = address % geometry_.stretch_bytes / kL2BlockBytes;
  const Bytes swapped =
      (block / blocks_of_row_ ^ swap % kRowsOfStretch) * blocks_of_row_ + block % blocks_of_row_;
  const Bytes unit = swapped < blocks_of_stretch_ ? swapped : block;  // beyond the end of the last row
  return static_cast<int>(group * blocks_of_stretch_ + unit);
}

}  // namespace hbmscope
