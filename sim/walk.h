#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/loops.h"
#include "sim/program.h"

namespace hbmscope {

// What one step touches, summed over many iterations at once: `times` iterations move the same rows and
// columns, and loops whose tiles lie end to end are merged into one interval.
struct WalkedBox {
  std::uint64_t times = 1;
  Interval planes;
  Interval rows;
  Interval columns;
};

// The three ranges of a step and the loops around it, prepared for walking. A null range has length 1.
class BoxWalk {
 public:
  struct Dimensions {
    const Index* plane = nullptr;
    const Range* rows = nullptr;
    const Index* place = nullptr;  // where the rows lie, if not at rows->start
    const Range* columns = nullptr;
  };

  // `count_repeats`: iterations that touch the same box multiply `times` (for sums). Otherwise they are
  // visited once (for coverage).
  BoxWalk(const Program& program, const Launch& launch, const OpenLoops& open, const Guard& guard,
          const Dimensions& dimensions, bool count_repeats);

  // Calls bool visit(const WalkedBox&) for boxes that together are all iterations of the step, until it
  // returns false. Boxes without rows or columns are left out. Enumerated loops run from their last index to
  // their first, because the last tiles of a masked loop tend to cover all that the others do.
  template <class Visit>
  void visit(Visit&& visit_box) {
    Indices indices{};
    std::array<std::int64_t, 3> lengths = base_lengths_;
    descend(0, indices, lengths, 1, visit_box);
  }

 private:
  enum class Treatment : std::uint8_t { repeat, merge_plane, merge_rows, merge_columns, enumerate };

  // A bound that is looked up once if it reads no loop.
  struct PreparedBound {
    const Bound* bound = nullptr;  // null: constant
    std::int64_t constant = 0;

    std::int64_t value(const Program& program, const Indices& indices) const {
      return bound == nullptr ? constant : value_of(*bound, program, indices);
    }
  };
  PreparedBound prepare(const Bound& bound) const;

  struct OpenLoop {
    Treatment treatment = Treatment::enumerate;
    PreparedBound begin;
    PreparedBound end;
    bool guarded = false;
    bool constant = false;  // the span is the same wherever the loop is entered
  };

  void plan();
  LoopMask fixed_loops() const;
  Treatment treatment_of(int level, std::array<std::int64_t, 3>& reach) const;
  Interval span(std::size_t depth, const Indices& indices) const {
    const OpenLoop& open = loops_[depth];
    const Interval whole{open.begin.value(program_, indices), open.end.value(program_, indices)};
    if (!open.guarded) return whole;
    return guarded_span(whole, guard_, walks_down(launch_.loops[open_[static_cast<int>(depth)]], indices));
  }
  WalkedBox box_at(const Indices& indices, const std::array<std::int64_t, 3>& lengths,
                   std::uint64_t times) const;

  template <class Visit>
  bool descend(int level, Indices& indices, std::array<std::int64_t, 3> lengths, std::uint64_t times,
               Visit& visit_box) {
    if (level == open_.count()) {
      if (guard_.kind == Guard::Kind::when_not_negative && value_of(guard_.condition, indices) < 0)
        return true;
      const WalkedBox box = box_at(indices, lengths, times);
      return box.rows.length() == 0 || box.columns.length() == 0 || visit_box(box);
    }
    const auto depth = static_cast<std::size_t>(level);
    const int loop = open_[level];
    const Interval range = span(depth, indices);
    if (range.length() == 0) return true;
    std::int64_t& index = indices[static_cast<std::size_t>(loop)];
    const Treatment treatment = loops_[depth].treatment;
    if (treatment == Treatment::enumerate) {
      for (index = range.end - 1; index >= range.begin; --index) {
        if (!descend(level + 1, indices, lengths, times, visit_box)) return false;
      }
      return true;
    }
    index = range.begin;
    if (treatment == Treatment::repeat) {
      if (count_repeats_) {
        times = checked_multiply(times, static_cast<std::uint64_t>(range.length()), "iterations");
      }
    } else {
      lengths[static_cast<std::size_t>(treatment) - 1] *= range.length();
    }
    return descend(level + 1, indices, lengths, times, visit_box);
  }

  const Program& program_;
  const Launch& launch_;
  const OpenLoops& open_;
  const Guard& guard_;
  Dimensions dimensions_;
  bool count_repeats_;
  std::array<OpenLoop, kMaxLoops> loops_;  // outermost first
  PreparedBound row_limit_;
  PreparedBound column_limit_;
  std::array<std::int64_t, 3> base_lengths_{1, 1, 1};
};

}  // namespace hbmscope
