#include "sim/l2/cohorts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hbmscope {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Lengths run evenly from 0 to twice the mean once in every turn of the loop that they depend on.
void set_lengths(const ReusePattern& reuse, Cohorts& cohorts) {
  cohorts.length.fill(1);
  if (!reuse.uneven) return;
  const double turn = std::max(1.0, reuse.lengths.trips * reuse.lengths.stride / reuse.sms);
  const double step = std::max(1.0, turn / Cohorts::kMost);
  for (int cohort = 0; cohort < cohorts.count; ++cohort) {
    const double place = std::fmod((cohort + 0.5) * step, turn) / turn;
    cohorts.length[at(cohort)] = 2 * (reuse.lengths.longest_first ? 1 - place : place);
  }
}

// The cohorts on an SM, the oldest first.
class Residents {
 public:
  Residents(const Cohorts& cohorts, const CtaRates& rates) : cohorts_(cohorts) {
    for (int rank = 0; rank < cohorts.resident; ++rank) rates_[at(rank)] = rates.in_step(rank);
  }

  void add(int cohort) { running_[at(count_++)] = {cohort, 0}; }

  // Runs until one ends: returns it and advances `now`.
  int run(double& now) {
    int first = 0;
    double soonest = std::numeric_limits<double>::max();
    for (int rank = 0; rank < count_; ++rank) {
      const Running& each = running_[at(rank)];
      const double rest = (cohorts_.length[at(each.cohort)] - each.walked) / rates_[at(rank)];
      if (rest < soonest) {
        soonest = rest;
        first = rank;
      }
    }
    for (int rank = 0; rank < count_; ++rank) running_[at(rank)].walked += rates_[at(rank)] * soonest;
    now += soonest;
    const int ended = running_[at(first)].cohort;
    std::copy(running_.begin() + first + 1, running_.begin() + count_, running_.begin() + first);
    --count_;
    return ended;
  }

 private:
  struct Running {
    int cohort = 0;
    double walked = 0;
  };

  const Cohorts& cohorts_;
  std::array<double, Cohorts::kMostResident> rates_{};  // by how many older ones are there
  std::array<Running, Cohorts::kMostResident> running_{};
  int count_ = 0;
};

}  // namespace

double Cohorts::first_gap(int cohort) const {
  const double shorter = length[at(cohort - 1)] - length[at(cohort)];
  return start(cohort) - start(cohort - 1) - (descending ? shorter : 0);
}

double Cohorts::last_gap(int cohort) const {
  const double shorter = length[at(cohort - 1)] - length[at(cohort)];
  return end[at(cohort)] - end[at(cohort - 1)] + (descending ? 0 : shorter);
}

Cohorts cohorts_of(const ReusePattern& reuse) {
  Cohorts cohorts;
  cohorts.count = static_cast<int>(std::min<double>(Cohorts::kMost, std::ceil(reuse.items / reuse.sms)));
  cohorts.resident =
      static_cast<int>(std::min<double>(Cohorts::kMostResident, std::ceil(reuse.slots / reuse.sms)));
  cohorts.descending = reuse.walk == Walk::down;
  set_lengths(reuse, cohorts);
  Residents residents(cohorts, reuse.rates);
  int next = 0;
  while (next < std::min(cohorts.resident, cohorts.count)) residents.add(next++);
  double now = 0;
  for (int done = 0; done < cohorts.count; ++done) {
    const int ended = residents.run(now);
    cohorts.end[at(ended)] = now;
    if (next < cohorts.count) residents.add(next++);
  }
  return cohorts;
}

}  // namespace hbmscope
