#pragma once

#include <cstdint>

#include "sim/program.h"

namespace hbmscope {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end > begin ? end - begin : 0; }
  bool operator==(const Interval&) const = default;
};

using LoopMask = std::uint32_t;  // bit k: loop k

// Loops that are open around a step, outermost first; grid loops slowest first.
using OpenLoops = FixedList<int, kMaxLoops>;

// The loops whose indices a form reads.
LoopMask loops_in(const Affine& affine);
LoopMask loops_in(const Index& index);
LoopMask loops_in(const Bound& bound);

// [begin, end) of a loop at the indices of the loops outside it; empty if end <= begin.
Interval span_of(const Loop& loop, const Program& program, const Indices& indices);

// True if the loop runs from its last index to its first at these outer indices.
bool walks_down(const Loop& loop, const Indices& indices);

// What is left of a loop's span under a guard that names this loop.
Interval guarded_span(Interval span, const Guard& guard, bool down);

// The open loops around step `step` of the launch's body.
OpenLoops open_loops_at(const Launch& launch, int step);

// The valid part of a range at these indices: never beyond its limit, never below 0.
Interval valid_part(const Range& range, const Program& program, const Indices& indices);

// Number of CTAs (work items, for persistent schedules).
std::int64_t grid_size(const Launch& launch, const Program& program);

}  // namespace hbmscope
