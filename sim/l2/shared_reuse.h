#pragma once

#include "sim/l2/effective_cache.h"
#include "sim/l2/reuse_pattern.h"

namespace hbmscope {

// How often the bytes of a tensor that several CTAs share are asked for, and how often they are gone by then.
struct SharedReuse {
  double visits = 0;      // bytes asked for, once by all CTAs that are in step
  double miss = 0;        // share of these, without the first, that is gone
  double far_misses = 0;  // turns of slower grid loops that find a plane gone
};

// The estimate for the shared tensors of a launch. Which bytes are gone follows from what the CTAs in flight
// touch between two visits; three patterns are told apart.
class SharedReuseModel {
 public:
  SharedReuseModel(const ReusePattern& reuse, const EffectiveCache& cache);

  // `once`: bytes of the tensor that cross to the SMs, without what one CTA repeats.
  SharedReuse of(const TensorReuse& tensor, double once) const;

 private:
  enum class Pattern : std::uint8_t {
    cohorts,    // CTAs of the same length start together and stay together
    windows,    // CTAs of the same length at places of their own
    staggered,  // neighbours in the grid differ in length, so that each CTA has a start of its own
    scattered,  // q tiles of many heads, short ones first: soon no CTA is in step with another
  };
  Pattern pattern() const;

  const ReusePattern& reuse_;
  const EffectiveCache& cache_;
  Pattern pattern_;
  double miss_ = 0;  // where it is the same for all tensors
};

// --- The patterns: shares of visits that miss ---
double cohort_miss(const ReusePattern& reuse, const EffectiveCache& cache);
double window_miss(const ReusePattern& reuse, const EffectiveCache& cache);
double scattered_miss(const ReusePattern& reuse, const EffectiveCache& cache);
double staggered_miss(const ReusePattern& reuse, const EffectiveCache& cache, const TensorReuse& tensor);

// Sets fill unevenly where what is live begins and ends within windows: a piece that covers a share f of a
// window adds f (1 − f) to the variance of the stretches that a group holds. As a half width for overflow().
double spread_of_planes(const ReusePattern& reuse, const EffectiveCache& cache, double live_planes,
                        double live_bytes);

}  // namespace hbmscope
