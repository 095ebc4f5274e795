#include "sim/l2/set_map.h"

#include <limits>
#include <numeric>
#include <utility>

namespace hbmscope {

SetMap::SetMap(const L2Geometry& geometry, std::uint64_t seed)
    : seed_(mixed(seed)),
      stretch_bytes_(geometry.stretch_bytes),
      groups_(static_cast<std::uint64_t>(geometry.groups)),
      units_per_group_(static_cast<std::uint64_t>(geometry.units()) / groups_),
      window_(std::numeric_limits<std::uint64_t>::max()),
      group_at_(groups_) {}

void SetMap::draw_window(std::uint64_t window) {
  window_ = window;
  std::iota(group_at_.begin(), group_at_.end(), 0);
  for (std::size_t left = group_at_.size() - 1; left > 0; --left) {
    const std::uint64_t drawn = mixed(seed_ ^ (window * groups_ + left)) % (left + 1);
    std::swap(group_at_[left], group_at_[static_cast<std::size_t>(drawn)]);
  }
}

int SetMap::unit_of(Bytes address) {
  const std::uint64_t stretch = address / stretch_bytes_;
  if (stretch / groups_ != window_) draw_window(stretch / groups_);
  const auto group = static_cast<std::uint64_t>(group_at_[static_cast<std::size_t>(stretch % groups_)]);
  // Within a group, stretches line up at a distance of their own.
  const std::uint64_t shift = mixed(seed_ + stretch) % units_per_group_;
  const std::uint64_t unit = (address % stretch_bytes_ / kL2BlockBytes + shift) % units_per_group_;
  return static_cast<int>(group * units_per_group_ + unit);
}

}  // namespace hbmscope
