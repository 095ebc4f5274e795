#pragma once

#include <array>

#include "sim/l2/reuse_pattern.h"

namespace hbmscope {

// CTAs in step: one on each SM, the next items of the schedule. Times are in walks of the mean length; the
// first cohorts of a launch stand for all.
struct Cohorts {
  static constexpr int kMost = 24;
  static constexpr int kMostResident = 8;

  int count = 1;
  int resident = 1;
  std::array<double, kMost> length{};
  std::array<double, kMost> end{};

  double start(int cohort) const {
    return cohort < resident ? 0 : end[static_cast<std::size_t>(cohort - resident)];
  }
  // How much later than the one before it a cohort begins, and comes to where the shorter of the two ends.
  double first_gap(int cohort) const;
  double last_gap(int cohort) const;
  bool descending = false;  // all end at the same place; otherwise all begin there
};

// The older cohort of an SM goes at full rate, each younger one slower than the one before it (CtaSlots); the
// first to end makes room.
Cohorts cohorts_of(const ReusePattern& reuse);

}  // namespace hbmscope
