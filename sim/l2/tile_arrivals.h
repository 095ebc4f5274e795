#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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
    Arrival& arrival = arrivals_[tile >> kShift];
    if (stall > 0) {
      arrival = {tile, now + stall, stall};
      return stall;
    }
    return arrival.tile == tile ? std::clamp(arrival.at - now, 0.0, arrival.stall) : 0;
  }

 private:
  static constexpr unsigned kShift = 52;
  static constexpr std::size_t kRemembered = std::size_t{1}
                                             << (64 - kShift);  // many more than CTAs in flight

  // One cache line holds two: a third of them would lie across two lines, which costs every access a tenth.
  struct alignas(32) Arrival {
    std::uint64_t tile = 0;
    double at = 0;
    double stall = 0;
  };

  // Odd numbers spread what differs over the highest bits; this is asked at every access.
  static std::uint64_t name_of(const TileAccess& access) {
    const auto times = [](std::int64_t value, std::uint64_t odd) {
      return static_cast<std::uint64_t>(value) * odd;
    };
    return times(access.rows.begin, 0x9e3779b97f4a7c15U) + times(access.columns.begin, 0xc2b2ae3d27d4eb4fU) +
           times(access.plane, 0x165667b19e3779f9U) + times(access.tensor, 0xd6e8feb86659fd93U);
  }

  std::vector<Arrival> arrivals_ = std::vector<Arrival>(kRemembered);
};

}  // namespace hbmscope
