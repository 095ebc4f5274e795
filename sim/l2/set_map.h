#pragma once

#include <cstdint>

#include "sim/l2/l2_geometry.h"
#include "sim/units.h"

namespace hbmscope {

// Splits a number into many that look random: the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// A stretch is four rows, and rows come in runs of 16 (hbmscope calibrate --only rows): row r of run u meets
// class (16 u + (r ^ swap(u))) mod classes, where swap(u) is the exclusive or of stretch_swaps over the bits
// of u. In stretches of four rows: stretch s of a run meets group (4 u + (s ^ swap / 4)) mod groups, and the
// rows in it change places by swap mod 4.
inline constexpr int kRowsOfStretch = 4;
inline constexpr int kStretchesOfRun = 4;
inline constexpr int kStretchSwaps = kStretchesOfRun * kRowsOfStretch;

// Which unit of a cache an address meets. What address bits beyond those of stretch_swaps swap is not known
// before a run: the seed draws it.
class SetMap {
 public:
  SetMap(L2Geometry geometry, std::uint64_t seed);

  int unit_of(Bytes address) const;

 private:
  unsigned swap_of(std::uint64_t run) const;

  L2Geometry geometry_;
  unsigned farther_swap_;
  Bytes blocks_of_stretch_;
  Bytes blocks_of_row_;  // rounded up: the last row has fewer
};

}  // namespace hbmscope
