#include "sim/walk.h"

#include "sim/units.h"

namespace hbmscope {
namespace {

bool uses(LoopMask mask, int loop) { return (mask >> loop & 1) != 0; }

std::int64_t factor(const Affine& affine, int loop) {
  std::int64_t sum = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(affine.count); ++t) {
    if (affine.terms[t].loop == loop) sum += affine.terms[t].factor;
  }
  return sum;
}

}  // namespace

BoxWalk::BoxWalk(const Program& program, const Launch& launch, const OpenLoops& open, const Guard& guard,
                 const Dimensions& dimensions, bool count_repeats)
    : program_(program),
      launch_(launch),
      open_(open),
      guard_(guard),
      dimensions_(dimensions),
      count_repeats_(count_repeats) {
  if (dimensions_.rows != nullptr) {
    base_lengths_[1] = dimensions_.rows->extent;
    row_limit_ = prepare(dimensions_.rows->limit);
  }
  if (dimensions_.columns != nullptr) {
    base_lengths_[2] = dimensions_.columns->extent;
    column_limit_ = prepare(dimensions_.columns->limit);
  }
  plan();
}

// From the innermost loop outwards: a loop merges into a dimension if nothing but that dimension's start
// reads it and its step is exactly what the loops inside it have covered so far. Loops that nothing reads
// repeat; the rest are enumerated.
void BoxWalk::plan() {
  const LoopMask fixed = fixed_loops();
  std::array<std::int64_t, 3> reach = base_lengths_;
  for (int level = open_.count() - 1; level >= 0; --level) {
    const int loop = open_[level];
    const auto depth = static_cast<std::size_t>(level);
    OpenLoop& open = loops_[depth];
    open.begin = prepare(launch_.loops[loop].begin);
    open.end = prepare(launch_.loops[loop].end);
    open.guarded = guard_.loop == loop;
    open.constant = open.begin.bound == nullptr && open.end.bound == nullptr &&
                    !(open.guarded && launch_.loops[loop].walk == Walk::alternating);
    open.treatment = uses(fixed, loop) ? Treatment::enumerate : treatment_of(level, reach);
  }
}

// The loops that bounds, conditions, limits and tables read: these need their values one by one.
LoopMask BoxWalk::fixed_loops() const {
  LoopMask fixed = 0;
  for (int loop : open_) {
    const Loop& described = launch_.loops[loop];
    fixed |= loops_in(described.begin) | loops_in(described.end);
    if (guard_.loop == loop && described.walk == Walk::alternating) {
      fixed |= LoopMask{1} << described.alternates_with;
    }
  }
  if (guard_.kind == Guard::Kind::when_not_negative) fixed |= loops_in(guard_.condition);
  const auto [plane, rows, place, columns] = dimensions_;
  if (plane != nullptr && plane->table != kNone) fixed |= loops_in(plane->position);
  if (rows != nullptr) fixed |= loops_in(rows->limit);
  if (columns != nullptr) fixed |= loops_in(columns->limit);
  if (place != nullptr && place->table != kNone) fixed |= loops_in(place->position);
  return fixed;
}

BoxWalk::Treatment BoxWalk::treatment_of(int level, std::array<std::int64_t, 3>& reach) const {
  const int loop = open_[level];
  const auto [plane, rows, place, columns] = dimensions_;
  const std::array<const Affine*, 3> starts{plane != nullptr ? &plane->offset : nullptr,
                                            rows != nullptr ? &rows->start : nullptr,
                                            columns != nullptr ? &columns->start : nullptr};
  int dimension = kNone;
  for (std::size_t d = 0; d < starts.size(); ++d) {
    const bool placed_here = d == 1 && place != nullptr && factor(place->offset, loop) != 0;
    if ((starts[d] == nullptr || factor(*starts[d], loop) == 0) && !placed_here) continue;
    if (dimension != kNone) return Treatment::enumerate;
    dimension = static_cast<int>(d);
  }
  if (dimension == kNone) return Treatment::repeat;

  const Affine& start = *starts[static_cast<std::size_t>(dimension)];
  const bool whole_steps = start.divisor == 1 || dimension == 0;
  const bool same_place = dimension != 1 || place == nullptr ||
                          (place->offset.divisor == 1 && factor(place->offset, loop) == factor(start, loop));
  std::int64_t& covered = reach[static_cast<std::size_t>(dimension)];
  if (!whole_steps || !same_place || factor(start, loop) != covered) {
    covered = 0;  // a gap or an overlap: no outer loop steps by 0, so none merges either
    return Treatment::enumerate;
  }
  const auto depth = static_cast<std::size_t>(level);
  covered = loops_[depth].constant ? covered * span(depth, Indices{}).length() : 0;
  return static_cast<Treatment>(dimension + 1);
}

BoxWalk::PreparedBound BoxWalk::prepare(const Bound& bound) const {
  if (loops_in(bound) != 0) return {.bound = &bound};
  return {.constant = value_of(bound, program_, Indices{})};
}

WalkedBox BoxWalk::box_at(const Indices& indices, const std::array<std::int64_t, 3>& lengths,
                          std::uint64_t times) const {
  WalkedBox box{.times = times, .planes = {0, 1}, .rows = {0, 1}, .columns = {0, 1}};
  const auto clipped = [&](const Range& range, std::int64_t length, const PreparedBound& limit) {
    const std::int64_t start = value_of(range.start, indices);
    return Interval{std::max<std::int64_t>(start, 0),
                    std::min(start + length, limit.value(program_, indices))};
  };
  if (dimensions_.rows != nullptr) box.rows = clipped(*dimensions_.rows, lengths[1], row_limit_);
  if (dimensions_.columns != nullptr) box.columns = clipped(*dimensions_.columns, lengths[2], column_limit_);
  // An empty box lies nowhere: tables need no entries for tiles beyond the end of a sequence.
  if (box.rows.length() == 0 || box.columns.length() == 0) return box;
  if (dimensions_.plane != nullptr) {
    const Affine& offset = dimensions_.plane->offset;
    // Planes merge in the numerator: the planes from first / divisor to last / divisor.
    Affine numerator = offset;
    numerator.divisor = 1;
    const std::int64_t first = value_of(numerator, indices);
    const auto divide = offset.round_up ? ceil_div : floor_div;
    std::int64_t shift = 0;
    if (dimensions_.plane->table != kNone) {
      shift = value_of(*dimensions_.plane, program_, indices) - value_of(offset, indices);
    }
    box.planes = {shift + divide(first, offset.divisor),
                  shift + divide(first + lengths[0] - 1, offset.divisor) + 1};
  }
  if (dimensions_.place != nullptr) {
    const std::int64_t skipped = box.rows.begin - value_of(dimensions_.rows->start, indices);
    const std::int64_t placed = value_of(*dimensions_.place, program_, indices) + skipped;
    box.rows = {placed, placed + box.rows.length()};
  }
  return box;
}

}  // namespace hbmscope
