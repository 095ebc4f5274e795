#pragma once

#include <array>

#include "sim/l2/effective_cache.h"
#include "sim/l2/reuse_pattern.h"

namespace hbmscope {

// What the caches still hold, when a launch comes to it, of bytes that an earlier launch touched: those that
// fewer bytes than the capacity have passed since.
class LaunchCarry {
 public:
  LaunchCarry(const Program& program, const EffectiveCache& cache) : program_(program), cache_(cache) {}

  // The launches in order; `reuse` is that of this launch until the next call.
  void enter(int launch, const ReusePattern& reuse);
  // Records what the launch has touched. To be called when all questions about it have been asked.
  void leave(int launch, const ReusePattern& reuse);

  bool touched_before(const TensorReuse& tensor) const { return touched_[index_of(tensor)].launch != kNone; }

  // Share of the tensor's bytes that the launch finds gone; all of them if no launch has touched it.
  double gone(const TensorReuse& tensor, int launch, const ReusePattern& reuse) const;
  // Share of what an earlier launch wrote that has gone to HBM before this one writes it again.
  double written_back(const TensorReuse& tensor, int launch, const ReusePattern& reuse) const;

 private:
  // Bytes that flow through the caches, as a side holds them, and those written among them.
  struct Flow {
    double touched = 0;
    double written = 0;
  };
  // Where in the flow of its launch a tensor is touched: what lies at x (0 … 1) of it at ordered · x, and
  // anywhere within a wave of CTAs at random.
  struct Place {
    double before = 0;  // on average
    double after = 0;
    double ordered = 0;
    double random = 0;
  };
  struct Touch {
    int launch = kNone;
    Place touched;
    Place written;
  };

  static std::size_t index_of(const TensorReuse& tensor) { return static_cast<std::size_t>(tensor.tensor); }
  static void add_flow(const TensorReuse& flow, double bytes, const TensorReuse& tensor, double wave,
                       Place& place);
  static Touch touch_of(const TensorReuse& tensor, int launch, const ReusePattern& reuse);
  double lost(const Touch& before, const Touch& now, const ReusePattern& reuse) const;
  double cleaned(const Touch& before, const Touch& now) const;

  const Program& program_;
  const EffectiveCache& cache_;
  std::array<Flow, kMaxLaunches> flows_{};
  std::array<Touch, kMaxTensors> touched_{};
  std::array<Touch, kMaxTensors> written_{};
};

// Few CTAs may stand on one side more than on the other, which then holds more of what they touch: all of it
// near, half of it at its home. Calls miss(load) for the load of either side, in shares of the bytes: a byte
// is gone for an SM if it is gone near, and at its home where that is the other side.
template <class Miss>
double missing_by_side(const EffectiveCache& cache, double first_side, Miss&& miss) {
  if (cache.single >= 1 || first_side == 0.5) return miss(cache.single);
  const double first = miss((1 + first_side) / 2);
  const double second = miss((2 - first_side) / 2);
  const double both = std::min(first, second);
  return first_side * (first + both) / 2 + (1 - first_side) * (second + both) / 2;
}

}  // namespace hbmscope
