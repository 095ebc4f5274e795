#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/point_work.h"

namespace hbmscope {

// One of `count` runs that share a list of points. Shard i of n takes the points from floor(P (i - 1) / n) up
// to floor(P i / n) - 1 of P: one block, so that the points of one problem, which need one reference, stay
// together.
struct Shard {
  std::size_t number = 1;  // from 1
  std::size_t count = 1;
};

// "2/4". Throws UserError (--shard).
Shard parse_shard(std::string_view text);
std::string to_string(const Shard& shard);

// Throws UserError (--shard) for more shards than points.
PointRange range_of(const Shard& shard, std::size_t points);

}  // namespace hbmscope
