#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/l2/set_map.h"
#include "sim/stream.h"

namespace hbmscope {

// When the tiles that were asked of DRAM last arrive. CTAs that walk the same K and V and come to a tile
// shortly after the first one wait for the same bytes and go on with it: what is slower by less than the
// first one waits keeps in step.
class TileArrivals {
 public:
  // How long an access at `now` waits, of which the bytes that it asks DRAM for take `stall`; in any one unit
  // of time.
  double wait_for(const TileAccess& access, double now, double stall) {
    const std::uint64_t tile = name_of(access);
    Arrival& arrival = arrivals_[tile % kRemembered];
    if (stall > 0) {
      arrival = {tile, now + stall, stall};
      return stall;
    }
    return arrival.tile == tile ? std::clamp(arrival.at - now, 0.0, arrival.stall) : 0;
  }

 private:
  static constexpr std::uint64_t kRemembered = 4096;  // many more than CTAs that are in flight

  struct Arrival {
    std::uint64_t tile = 0;
    double at = 0;
    double stall = 0;
  };

  static std::uint64_t name_of(const TileAccess& access) {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    return mixed(
        mixed(mixed(number(access.tensor) << 32U | number(access.plane)) + number(access.rows.begin)) +
        number(access.columns.begin));
  }

  std::vector<Arrival> arrivals_ = std::vector<Arrival>(kRemembered);
};

}  // namespace hbmscope
