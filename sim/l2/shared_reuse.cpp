#include "sim/l2/shared_reuse.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/cohorts.h"

namespace hbmscope {
namespace {

// Turns of slower grid loops come back after `stride` items: what these touch has passed by then.
double far_misses(const ReusePattern& reuse, const EffectiveCache& cache, const TensorReuse& tensor) {
  double misses = 0;
  double stride = 1;
  for (const GridFactor& factor : tensor.grid) {
    if (!factor.other_bytes && comes_back_later(reuse, stride)) {
      double passed = 0;
      for (const TensorReuse& other : reuse.tensors) {
        if (!other.local) passed += distinct_planes(other, stride) * other.plane_bytes * other.on_a_side;
      }
      misses = misses * factor.trips + (factor.trips - 1) * missing_share(passed, passed, cache.capacity);
    }
    stride *= factor.trips;
  }
  return misses;
}

// Bytes of shared tensors that a cohort covers in one walk: planes that the one before it has left, and those
// that both cover.
struct Walked {
  double renewed = 0;
  double common = 0;
};

Walked walked_by_cohort(const ReusePattern& reuse) {
  const double cohorts = reuse.items / reuse.sms;
  Walked sum;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.local || !tensor.shared) continue;
    const double planes = tensor.planes * tensor.turns;
    const double walked = std::min(planes, distinct_planes(tensor, reuse.sms));
    const double renewed = cohorts > 1 ? std::min(walked, (planes - walked) / (cohorts - 1)) : walked;
    const double bytes = tensor.walked_bytes * tensor.on_a_side;
    sum.renewed += renewed * bytes;
    sum.common += (walked - renewed) * bytes;
  }
  return sum;
}

double planes_in_flight(const ReusePattern& reuse) {
  double planes = 1;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.shared) planes = std::max(planes, distinct_planes(tensor, reuse.slots));
  }
  return planes;
}

// Distinct bytes that all cohorts in flight touch between one and the next that comes to the same bytes.
class CohortDistance {
 public:
  explicit CohortDistance(const ReusePattern& reuse, const Cohorts& cohorts)
      : cohorts_(cohorts),
        bytes_(walked_by_cohort(reuse)),
        streamed_(reuse.private_bytes() * reuse.slots / reuse.items),
        local_(reuse.local_bytes()) {}

  // Cohorts on one plane, `gap` apart, cover it once between them, however many they are: the sum of their
  // own gaps as far as these are shorter.
  double of(double gap, int cohort) const {
    double covered = gap;
    for (int other = 1; other < cohorts_.resident; ++other) {
      const int neighbour = std::min(cohort + other, cohorts_.count - 1);
      const double own = std::abs(cohorts_.first_gap(neighbour) + cohorts_.last_gap(neighbour)) / 2;
      covered += std::min(gap, own);
    }
    return local_ + gap * (cohorts_.resident * bytes_.renewed + streamed_) + covered * bytes_.common;
  }
  double least() const { return local_; }
  double of_a_walk() const { return local_ + cohorts_.resident * bytes_.renewed + bytes_.common + streamed_; }

 private:
  const Cohorts& cohorts_;
  Walked bytes_;
  double streamed_;
  double local_;
};

}  // namespace

double spread_of_planes(const ReusePattern& reuse, const EffectiveCache& cache, double live_planes,
                        double live_bytes) {
  double span = 0;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.shared) span += std::min(live_planes, tensor.planes) * tensor.plane_bytes;
  }
  const double share = std::clamp(live_bytes / std::max(span, 1.0), 0.0, 1.0);
  double variance = 0;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (!tensor.shared) continue;
    const double planes = std::min(live_planes, tensor.planes);
    const double windows = planes * tensor.plane_bytes / cache.window;
    variance += std::clamp(windows, 1.0, std::max(1.0, planes)) * share * (1 - share);
  }
  // The deviation of overflow()'s curve is 1 / √5 of its half width.
  return std::clamp(std::sqrt(5 * variance) * cache.stretch_load, kEvenSpread, 0.9);
}

double cohort_miss(const ReusePattern& reuse, const EffectiveCache& cache) {
  const Cohorts cohorts = cohorts_of(reuse);
  if (cohorts.count < 2) return 0;
  const CohortDistance distance(reuse, cohorts);
  const double spread = spread_of_planes(reuse, cache, planes_in_flight(reuse), cache.capacity);
  if (reuse.walk == Walk::alternating) {
    return missing_share(distance.least(), distance.of_a_walk(), cache.capacity, spread);
  }
  double missed = 0;
  double walked = 0;
  for (int cohort = 1; cohort < cohorts.count; ++cohort) {
    const double length = cohorts.length[static_cast<std::size_t>(cohort)];
    const double first = distance.of(std::abs(cohorts.first_gap(cohort)), cohort);
    const double last = distance.of(std::abs(cohorts.last_gap(cohort)), cohort);
    missed += length * missing_share(first, last, cache.capacity, spread);
    walked += length;
  }
  return missed / walked;
}

// All CTAs in flight move on by one item's worth between two visits.
double window_miss(const ReusePattern& reuse, const EffectiveCache& cache) {
  double distance = 0;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.local) continue;
    const bool apart = reuse.lengths.fastest || !tensor.shared;
    const double bytes = apart ? tensor.unique * reuse.slots / reuse.items
                               : distinct_planes(tensor, reuse.slots) * tensor.visited() / reuse.items;
    distance += bytes * tensor.on_a_side;
  }
  return missing_share(distance, distance, cache.capacity);
}

// Visits at random: of a set with x times what it holds, a share 1 − 1 / x misses.
double scattered_miss(const ReusePattern& reuse, const EffectiveCache& cache) {
  double distance = std::max(reuse.local_bytes(), 1.0);
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.shared) {
      distance += distinct_planes(tensor, reuse.slots) * tensor.plane_bytes * tensor.on_a_side;
    }
  }
  return overflow(distance, cache.capacity, kEvenSpread) / distance;
}

SharedReuseModel::SharedReuseModel(const ReusePattern& reuse, const EffectiveCache& cache)
    : reuse_(reuse), cache_(cache), pattern_(pattern()) {
  const bool any = std::any_of(reuse.tensors.begin(), reuse.tensors.end(),
                               [](const TensorReuse& tensor) { return tensor.shared; });
  if (!any || reuse.items <= 1) return;
  if (pattern_ == Pattern::cohorts) miss_ = cohort_miss(reuse, cache);
  if (pattern_ == Pattern::windows) miss_ = window_miss(reuse, cache);
  if (pattern_ == Pattern::scattered) miss_ = scattered_miss(reuse, cache);
}

SharedReuseModel::Pattern SharedReuseModel::pattern() const {
  if (!reuse_.uneven) return Pattern::cohorts;
  if (reuse_.lengths.windowed) return Pattern::windows;
  if (reuse_.lengths.fastest) return Pattern::staggered;
  return reuse_.lengths.longest_first ? Pattern::cohorts : Pattern::scattered;
}

SharedReuse SharedReuseModel::of(const TensorReuse& tensor, double once) const {
  if (!tensor.shared) return {.visits = once, .miss = 0, .far_misses = 0};
  const bool alone = pattern_ == Pattern::staggered || pattern_ == Pattern::scattered;
  double in_step = alone ? 1 : tensor.sharers;
  // Half of them ascend, half descend.
  if (!alone && reuse_.walk == Walk::alternating && in_step >= 2) in_step /= 2;
  return {.visits = once / in_step,
          .miss = pattern_ == Pattern::staggered ? staggered_miss(reuse_, cache_, tensor) : miss_,
          .far_misses = tensor.turns > 1 ? far_misses(reuse_, cache_, tensor) : 0};
}

}  // namespace hbmscope
