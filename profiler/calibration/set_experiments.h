#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/calibration/device/results.h"

namespace hbmscope {

// One thing that an experiment does to a line of a set: line `line` of a group of lines, all of which are
// homed on the side of the SM that does it, unless an SM of the other side does.
struct SetUse {
  LineUse::Kind kind = LineUse::kRead;
  bool by_other_side = false;
  char group = 'r';
  unsigned line = 0;
};

// The groups: 'w' lines that are written first, 'r' lines that are read, 'o' others, 'h' lines with a hint.
// Nothing is asked of 'o'.
struct SetGroup {
  char name;
  unsigned lines;
};
inline constexpr SetGroup kSetGroups[] = {{'w', 12}, {'r', 20}, {'h', 8}, {'o', 14}};

// "write w0-4; far read r0-12; read o0-1" as uses, in order; the end of a span is not in it. "first" and
// "last" in front of "read" are hints. Throws std::logic_error for anything else.
std::vector<SetUse> parse_set_uses(std::string_view text);

// Sets of how many lines the experiments are for.
inline constexpr unsigned kFewestWays = 8;
inline constexpr unsigned kMostWays = 20;

// Which experiments a calibration does on sets of so many lines. What leaves a mark on lines for good,
// "last", comes last.
std::vector<std::string> set_experiments(unsigned ways);

}  // namespace hbmscope
