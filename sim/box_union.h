#pragma once

#include <cstdint>
#include <vector>

#include "sim/loops.h"

namespace hbmscope {

// Elements [planes) × [rows) × [columns) of a tensor.
struct Box {
  Interval planes;
  Interval rows;
  Interval columns;
};

// Adds a box, joining it to the last one where they share planes and columns and their rows overlap or meet.
void add_box(std::vector<Box>& boxes, const Box& box);

// Number of distinct elements in all boxes together. Reorders `boxes`. Exact for any boxes; fast when they
// share planes and columns. Throws UserError on 64-bit overflow.
std::uint64_t union_volume(std::vector<Box>& boxes);

}  // namespace hbmscope
