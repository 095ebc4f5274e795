#include "sim/masked_sums.h"

#include <algorithm>
#include <utility>

#include "sim/units.h"

namespace hbmscope {
namespace {

// max(minimum, min(⌊(factor·i + constant)/divisor⌋, maximum)) with factor ≥ 0 and minimum ≥ 0.
struct Steps {
  std::int64_t factor;
  std::int64_t constant;
  std::int64_t divisor;
  std::int64_t minimum;
  std::int64_t maximum;
};

// The pair of loops, and how often the others repeat it.
struct MaskedLoops {
  int outer;
  int inner;
  Interval outer_span;
  Steps begin;
  Steps end;
  std::uint64_t repeats;
};

std::optional<Steps> steps_of(const Bound& bound) {
  const Affine& affine = bound.affine;
  if (bound.table != kNone || affine.count > 1 || bound.minimum < 0) return std::nullopt;
  Steps steps{0, affine.constant, affine.divisor, bound.minimum, std::max(bound.minimum, bound.maximum)};
  if (affine.count == 1) steps.factor = affine.terms[0].factor;
  if (steps.factor < 0) return std::nullopt;
  if (affine.round_up) steps.constant += steps.divisor - 1;
  return steps;
}

std::int64_t value_at(const Steps& steps, std::int64_t i) {
  return std::max(steps.minimum,
                  std::min(floor_div(steps.factor * i + steps.constant, steps.divisor), steps.maximum));
}

Steps clamped(Steps steps, std::int64_t lowest, std::int64_t highest) {
  steps.minimum = std::clamp(steps.minimum, lowest, highest);
  steps.maximum = std::clamp(steps.maximum, lowest, highest);
  return steps;
}

// Σ over i in `span`: flat at the minimum, then steps, then flat at the maximum.
std::uint64_t sum_of(const Steps& steps, Interval span) {
  const auto count = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  if (steps.factor == 0) return checked_multiply(count(span.length()), count(value_at(steps, 0)));
  const auto first_at_least = [&](std::int64_t value) {
    if (value >= kUnbounded / steps.divisor) return span.end;
    return std::clamp(ceil_div(value * steps.divisor - steps.constant, steps.factor), span.begin, span.end);
  };
  const std::int64_t rise = first_at_least(steps.minimum + 1);
  const std::int64_t plateau = std::max(rise, first_at_least(steps.maximum));
  std::uint64_t sum = checked_multiply(count(rise - span.begin), count(steps.minimum));
  if (plateau > rise) {
    sum = checked_add(sum, floor_sum(count(plateau - rise), count(steps.factor),
                                     count(steps.factor * rise + steps.constant), count(steps.divisor)));
  }
  return plateau == span.end
             ? sum
             : checked_add(sum, checked_multiply(count(span.end - plateau), count(steps.maximum)));
}

// Σ over i of min(extent · value(i), limit): rows below tile number value(i), the last tile ragged.
std::uint64_t rows_below(const Steps& steps, Interval span, std::int64_t extent, std::int64_t limit) {
  const auto scale = static_cast<std::uint64_t>(extent);
  if (steps.maximum <= limit / extent) return checked_multiply(scale, sum_of(steps, span));
  const std::int64_t tiles = ceil_div(limit, extent);
  if (tiles <= 0) return 0;
  const std::uint64_t whole = checked_multiply(scale, sum_of(clamped(steps, 0, tiles), span));
  const std::uint64_t at_end = sum_of(clamped(steps, tiles - 1, tiles), span) -
                               static_cast<std::uint64_t>(span.length() * (tiles - 1));
  return whole - checked_multiply(static_cast<std::uint64_t>(extent * tiles - limit), at_end);
}

// Makes end ≥ begin hold for every i, where an empty span counts as 0; false if that is not certain.
bool order(Steps& begin, Steps& end) {
  if (begin.factor == 0) {
    const std::int64_t value = value_at(begin, 0);
    end.minimum = std::max(end.minimum, value);
    end.maximum = std::max(end.maximum, value);
    return true;
  }
  if (end.factor == 0) {
    begin = clamped(begin, 0, value_at(end, 0));
    return true;
  }
  return begin.factor == end.factor && begin.divisor == end.divisor && begin.minimum == end.minimum &&
         begin.maximum == end.maximum && begin.constant <= end.constant;
}

std::optional<MaskedLoops> find_pair(const Program& program, const Launch& launch, const OpenLoops& open,
                                     const Guard& guard) {
  if (guard.kind != Guard::Kind::always) return std::nullopt;
  MaskedLoops pair{kNone, kNone, {}, {}, {}, 1};
  for (const int loop : open) {
    const LoopMask read = loops_in(launch.loops[loop].begin) | loops_in(launch.loops[loop].end);
    if (read == 0) continue;
    if (pair.inner != kNone || (read & (read - 1)) != 0) return std::nullopt;
    pair.inner = loop;
    pair.outer = __builtin_ctz(read);
  }
  if (pair.inner == kNone) return std::nullopt;
  for (const int loop : open) {
    if (loop == pair.inner) continue;
    const Interval span = span_of(launch.loops[loop], program, Indices{});
    if (loop == pair.outer) pair.outer_span = span;
    if (loop != pair.outer) {
      pair.repeats = checked_multiply(pair.repeats, static_cast<std::uint64_t>(span.length()), "iterations");
    }
  }
  const std::optional<Steps> begin = steps_of(launch.loops[pair.inner].begin);
  const std::optional<Steps> end = steps_of(launch.loops[pair.inner].end);
  if (!begin || !end) return std::nullopt;
  if (pair.outer_span.length() == 0) pair.repeats = 0;
  pair.begin = *begin;
  pair.end = *end;
  return pair;
}

// The range is tile number `loop` of `extent` rows and nothing else moves it.
bool is_tile_of(const Range& range, int loop) {
  return range.start.count == 1 && range.start.terms[0] == Term{loop, range.extent} &&
         range.start.constant == 0 && range.start.divisor == 1 && range.limit.table == kNone &&
         range.limit.affine.count == 0;
}

std::int64_t constant_limit(const Range& range, const Program& program) {
  return std::max<std::int64_t>(0, value_of(range.limit, program, Indices{}));
}

// The inner tiles begin at or below row first + outer.extent · i, and end at or beyond last + outer.extent ·
// i or at the limit.
bool covers(const MaskedLoops& pair, const Range& outer, const Range& inner, std::int64_t inner_limit,
            std::int64_t first, std::int64_t last) {
  const auto in_step = [&](const Steps& steps) {
    return steps.factor == outer.extent && steps.divisor == inner.extent;
  };
  const bool begins = pair.begin.factor == 0
                          ? value_at(pair.begin, 0) == 0
                          : in_step(pair.begin) && pair.begin.minimum == 0 && pair.begin.constant <= first;
  const std::int64_t largest_end = pair.end.factor == 0 ? value_at(pair.end, 0) : pair.end.maximum;
  const bool reaches = largest_end >= ceil_div(inner_limit, inner.extent);
  const bool ends =
      pair.end.factor == 0 || (in_step(pair.end) && pair.end.constant - (pair.end.divisor - 1) >= last);
  return begins && reaches && ends;
}

}  // namespace

std::uint64_t floor_sum(std::uint64_t n, std::uint64_t a, std::uint64_t b, std::uint64_t m) {
  std::uint64_t sum = 0;
  while (n > 0) {
    if (a >= m) {
      const std::uint64_t triangle = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
      sum = checked_add(sum, checked_multiply(triangle, a / m));
      a %= m;
    }
    if (b >= m) {
      sum = checked_add(sum, checked_multiply(n, b / m));
      b %= m;
    }
    const std::uint64_t top = a * n + b;
    n = top / m;
    b = top % m;
    std::swap(a, m);
  }
  return sum;
}

std::optional<std::uint64_t> masked_rows(const Program& program, const Launch& launch, const OpenLoops& open,
                                         const Guard& guard, const Range* rows) {
  std::optional<MaskedLoops> pair = find_pair(program, launch, open, guard);
  if (!pair || (rows != nullptr && !is_tile_of(*rows, pair->inner)) || !order(pair->begin, pair->end)) {
    return std::nullopt;
  }
  if (pair->repeats == 0) return 0;
  const std::int64_t extent = rows != nullptr ? rows->extent : 1;
  const std::int64_t limit = rows != nullptr ? constant_limit(*rows, program) : kUnbounded;
  const std::uint64_t sum = rows_below(pair->end, pair->outer_span, extent, limit) -
                            rows_below(pair->begin, pair->outer_span, extent, limit);
  return checked_multiply(pair->repeats, sum, "iterations");
}

std::optional<std::uint64_t> masked_pairs(const Program& program, const Launch& launch, const OpenLoops& open,
                                          const Guard& guard, const Range& queries, const Range& keys) {
  const std::optional<MaskedLoops> pair = find_pair(program, launch, open, guard);
  if (!pair || program.problem.mask == Mask::full) return std::nullopt;
  const bool queries_outside = is_tile_of(queries, pair->outer) && is_tile_of(keys, pair->inner);
  const bool keys_outside = is_tile_of(keys, pair->outer) && is_tile_of(queries, pair->inner);
  if (!queries_outside && !keys_outside) return std::nullopt;
  const std::int64_t offset = program.problem.seqlen_kv - program.problem.seqlen_q;
  const std::int64_t window =
      program.problem.mask == Mask::window ? program.problem.window : kLargestSize * 4;
  const std::int64_t query_limit = constant_limit(queries, program);
  const std::int64_t key_limit = constant_limit(keys, program);
  // Rows [i br, (i + 1) br) see keys from i br + offset + 1 − W on and below (i + 1) br + offset; keys
  // [j bc, (j + 1) bc) are seen by rows from j bc − offset on and below (j + 1) bc − 1 − offset + W.
  const bool complete =
      queries_outside ? covers(*pair, queries, keys, key_limit, offset + 1 - window, queries.extent + offset)
                      : covers(*pair, keys, queries, query_limit, -offset, keys.extent - 1 - offset + window);
  if (!complete) return std::nullopt;
  const Range& outer = queries_outside ? queries : keys;
  const Interval outer_rows{
      pair->outer_span.begin * outer.extent,
      std::min(pair->outer_span.end * outer.extent, queries_outside ? query_limit : key_limit)};
  const Interval rows = queries_outside ? outer_rows : Interval{0, query_limit};
  const Interval columns = queries_outside ? Interval{0, key_limit} : outer_rows;
  return checked_multiply(pair->repeats,
                          visible_pairs(program.problem, rows.begin, rows.end, columns.begin, columns.end),
                          "pair count");
}

}  // namespace hbmscope
