#include "sim/loops.h"

#include <algorithm>

#include "sim/units.h"

namespace hbmscope {

LoopMask loops_in(const Affine& affine) {
  LoopMask mask = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(affine.count); ++t) {
    mask |= LoopMask{1} << affine.terms[t].loop;
  }
  return mask;
}

LoopMask loops_in(const Index& index) {
  return loops_in(index.offset) | (index.table == kNone ? 0 : loops_in(index.position));
}

LoopMask loops_in(const Bound& bound) {
  return loops_in(bound.affine) | (bound.table == kNone ? 0 : loops_in(bound.position));
}

Interval span_of(const Loop& loop, const Program& program, const Indices& indices) {
  return {value_of(loop.begin, program, indices), value_of(loop.end, program, indices)};
}

bool walks_down(const Loop& loop, const Indices& indices) {
  if (loop.walk == Walk::alternating) return indices[static_cast<std::size_t>(loop.alternates_with)] % 2 != 0;
  return loop.walk == Walk::down;
}

Interval guarded_span(Interval span, const Guard& guard, bool down) {
  if (span.length() == 0) return span;
  const bool low_end = (guard.kind == Guard::Kind::first || guard.kind == Guard::Kind::not_first) != down;
  switch (guard.kind) {
    case Guard::Kind::first:
    case Guard::Kind::last:
      return low_end ? Interval{span.begin, span.begin + 1} : Interval{span.end - 1, span.end};
    case Guard::Kind::not_first:
    case Guard::Kind::not_last:
      return low_end ? Interval{span.begin + 1, span.end} : Interval{span.begin, span.end - 1};
    case Guard::Kind::always:
    case Guard::Kind::when_not_negative:
      break;
  }
  return span;
}

OpenLoops open_loops_at(const Launch& launch, int step) {
  OpenLoops open;
  for (int loop = launch.grid_loops - 1; loop >= 0; --loop) open.push(loop);
  for (int s = 0; s < step; ++s) {
    const Step& passed = launch.body[s];
    if (passed.kind == Step::Kind::open_loop) open.push(passed.index);
    if (passed.kind == Step::Kind::close_loop) open.pop();
  }
  return open;
}

Interval valid_part(const Range& range, const Program& program, const Indices& indices) {
  const std::int64_t start = value_of(range.start, indices);
  const std::int64_t limit = value_of(range.limit, program, indices);
  return {std::max<std::int64_t>(start, 0), std::min(start + range.extent, limit)};
}

std::int64_t grid_size(const Launch& launch, const Program& program) {
  std::uint64_t ctas = 1;
  for (int loop = 0; loop < launch.grid_loops; ++loop) {
    const std::int64_t trips = span_of(launch.loops[loop], program, Indices{}).length();
    ctas = checked_multiply(ctas, static_cast<std::uint64_t>(trips), "CTA count");
  }
  if (ctas > static_cast<std::uint64_t>(kUnbounded)) throw_overflow("CTA count");
  return static_cast<std::int64_t>(ctas);
}

}  // namespace hbmscope
