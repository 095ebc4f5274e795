#pragma once

#include <cstdint>
#include <vector>

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

// Which unit of a cache an address meets. Physical addresses are not known before a run, so the order of the
// groups in each window is drawn from a seed: one seed is one placement.
class SetMap {
 public:
  SetMap(const L2Geometry& geometry, std::uint64_t seed);

  int unit_of(Bytes address);

 private:
  void draw_window(std::uint64_t window);

  std::uint64_t seed_;
  Bytes stretch_bytes_;
  std::uint64_t groups_;
  std::uint64_t units_per_group_;
  std::uint64_t window_;
  std::vector<int> group_at_;  // of the current window
};

}  // namespace hbmscope
