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

  // Calls visit(const WalkedBox&) for boxes that together are all iterations of the step. Boxes without rows
  // or columns are left out.
  template <class Visit>
  void visit(Visit&& visit_box) {
    Indices indices{};
    std::array<std::int64_t, 3> lengths = base_lengths_;
    descend(0, indices, lengths, 1, visit_box);
  }

 private:
  enum class Treatment : std::uint8_t { repeat, merge_plane, merge_rows, merge_columns, enumerate };

  void plan();
  LoopMask fixed_loops() const;
  Treatment treatment_of(int loop, std::array<std::int64_t, 3>& reach) const;
  Interval span(int loop, const Indices& indices) const;
  WalkedBox box_at(const Indices& indices, const std::array<std::int64_t, 3>& lengths,
                   std::uint64_t times) const;

  template <class Visit>
  void descend(int level, Indices& indices, std::array<std::int64_t, 3> lengths, std::uint64_t times,
               Visit& visit_box) {
    if (level == open_.count()) {
      if (guard_.kind == Guard::Kind::when_not_negative && value_of(guard_.condition, indices) < 0) return;
      const WalkedBox box = box_at(indices, lengths, times);
      if (box.rows.length() > 0 && box.columns.length() > 0) visit_box(box);
      return;
    }
    const int loop = open_[level];
    const Interval range = span(loop, indices);
    if (range.length() == 0) return;
    std::int64_t& index = indices[static_cast<std::size_t>(loop)];
    index = range.begin;
    const Treatment treatment = treatments_[static_cast<std::size_t>(level)];
    if (treatment == Treatment::repeat) {
      if (count_repeats_)
        times = checked_multiply(times, static_cast<std::uint64_t>(range.length()), "iterations");
      descend(level + 1, indices, lengths, times, visit_box);
    } else if (treatment == Treatment::enumerate) {
      for (; index < range.end; ++index) descend(level + 1, indices, lengths, times, visit_box);
    } else {
      const auto dimension = static_cast<std::size_t>(treatment) - 1;
      lengths[dimension] *= range.length();
      descend(level + 1, indices, lengths, times, visit_box);
    }
  }

  const Program& program_;
  const Launch& launch_;
  const OpenLoops& open_;
  const Guard& guard_;
  Dimensions dimensions_;
  bool count_repeats_;
  std::array<Treatment, kMaxLoops> treatments_{};
  std::array<std::int64_t, 3> base_lengths_{1, 1, 1};
};

}  // namespace hbmscope
