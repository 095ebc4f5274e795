// Under a causal mask with q tiles fastest, the T tiles of a head start evenly spaced, because slots come
// free so: a = T / 2R of a tile's step apart, with R CTAs in flight. K/V tile j is read by CTA i at the time
//   a i + j             q tiles and K/V tiles ascend
//   a (T − i) + j       q tiles descend
//   a i + i − j         K/V tiles descend from the diagonal
//   a (T − i) + i − j   both descend
// From the first visit of a tile to the last it is live. Sums over tiles and heads in flight give the bytes
// that are live at once, in planes; G heads share one, and `flight` = R / (T G) planes' CTAs are in flight.
#include <algorithm>

#include "sim/l2/shared_reuse.h"

namespace hbmscope {
namespace {

// Waves that it takes until CTAs that started together, one tile apart, are as uneven as chance would have
// it.
constexpr double kWavesToScatter = 6;

struct Stagger {
  double planes;  // with turns
  double heads;   // that share a plane
  double flight;
  double plane_bytes;  // of all shared tensors, as a side holds them
};

Stagger stagger_of(const ReusePattern& reuse, const TensorReuse& tensor) {
  Stagger stagger{};
  stagger.planes = tensor.planes * tensor.turns;
  const double group = reuse.items / stagger.planes;
  stagger.heads = std::max(1.0, group / reuse.lengths.trips);
  stagger.flight = reuse.slots / group;
  for (const TensorReuse& other : reuse.tensors) {
    if (other.shared) stagger.plane_bytes += other.plane_bytes * other.on_a_side;
  }
  return stagger;
}

double live_planes(const ReusePattern& reuse, const TensorReuse& tensor, const Stagger& stagger) {
  double live = 1 - 1 / (2 * stagger.heads);
  if (reuse.walk == Walk::down && reuse.lengths.longest_first) {
    live = std::max(0.5, 1 - 1.5 / stagger.heads + stagger.flight);
  } else if (reuse.walk == Walk::down) {
    live += stagger.flight;
  }
  return std::min(live, distinct_planes(tensor, reuse.slots));
}

// Gaps between visits vary as those of a Poisson process once CTAs are scattered: of a set with x times what
// it holds, a share 1 − 1 / x misses. CTAs that start together stand a tile apart.
double usual_miss(const ReusePattern& reuse, const EffectiveCache& cache, const TensorReuse& tensor,
                  const Stagger& stagger) {
  const double live = live_planes(reuse, tensor, stagger) * stagger.plane_bytes;
  const double touched_planes = std::min(stagger.planes, 1 + 2 * stagger.flight);
  const double spread = spread_of_planes(reuse, cache, touched_planes, live);
  const double distance = live + reuse.local_bytes();
  const double together = std::min(distance, reuse.slots / reuse.lengths.trips * stagger.plane_bytes);
  const double waves = reuse.items / reuse.slots;
  const double end = together + (distance - together) * std::min(1.0, waves / kWavesToScatter);
  const auto miss = [&](double bytes) { return overflow(bytes, cache.capacity, spread) / bytes; };
  const double scattering = (miss(together) + 2 * miss((together + end) / 2) + miss(end)) / 4;
  const double share = std::min(1.0, kWavesToScatter / waves);
  return share * scattering + (1 - share) * miss(distance);
}

}  // namespace

double staggered_miss(const ReusePattern& reuse, const EffectiveCache& cache, const TensorReuse& tensor) {
  const Stagger stagger = stagger_of(reuse, tensor);
  const double visits = std::max(1.0, tensor.read - tensor.unique * tensor.turns);
  const double once = stagger.planes * stagger.heads * tensor.plane_bytes / visits;  // by every head
  if (reuse.walk == Walk::alternating) {
    // CTAs that ascend come to the upper half of the tiles after those that descend have left it.
    const double live = std::min(0.75 * (1 + 2 * stagger.flight), stagger.planes) * stagger.plane_bytes;
    const double passed = 2 * stagger.flight * stagger.plane_bytes;
    return std::min(1.0, once / 2) * missing_share(live, live + passed, cache.capacity);
  }
  // The next head of a plane comes to a tile later than the CTAs of this one are apart.
  const double late = std::min(1.0, once * (stagger.heads - 1) / stagger.heads);
  const double head_bytes = reuse.private_bytes() / (stagger.planes * stagger.heads);
  const double late_miss =
      missing_share(stagger.plane_bytes / 2, stagger.plane_bytes + head_bytes, cache.capacity);
  return late * late_miss + (1 - late) * usual_miss(reuse, cache, tensor, stagger);
}

}  // namespace hbmscope
