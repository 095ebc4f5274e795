#include "sim/l2/closed_form.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/effective_cache.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/launch_carry.h"
#include "sim/l2/reuse_pattern.h"
#include "sim/l2/shared_reuse.h"

namespace hbmscope {
namespace {

struct Missing {
  double read = 0;
  double write = 0;
};

// Of what a CTA comes back to in every round of a loop: the other CTAs' rounds pass in between.
Missing missing_of_rounds(const ReusePattern& reuse, const EffectiveCache& cache) {
  if (reuse.repeating_loop == kNone) return {};
  double passed = 0;
  double written = 0;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.local) continue;
    const double bytes = tensor.per_round * distinct_planes(tensor, reuse.slots);
    passed += bytes;
    if (tensor.written > 0) written += bytes;
  }
  const auto missing = [&](double bytes, double capacity, double deviation = kSetDeviation) {
    // A round of length s comes back to s bytes.
    double missed = 0;
    double all = 0;
    for (const double length : reuse.round_lengths) {
      missed += length * overflowing_share(length * bytes, capacity, deviation);
      all += length;
    }
    return all > 0 ? missed / all : 0;
  };
  const double gone = missing_by_side(cache, reuse.first_side,
                                      [&](double load) { return missing(load * passed, cache.capacity); });
  // Homes are evenly dealt: what is evicted there was written by either side.
  const double share = cache.single >= 1 ? 1 : reuse.first_side;
  const double evicted = cache.single >= 1 ? gone
                                           : (missing((1 + share) / 2 * passed, cache.capacity) +
                                              missing((2 - share) / 2 * passed, cache.capacity)) /
                                                 2;
  return {gone, std::max(evicted, missing(written, cache.dirty, cache.dirty_deviation))};
}

// Every slot's piece is written again and again; once per turn of the dirty lines, what else becomes dirty
// pushes it out.
double local_writes(const TensorReuse& tensor, const ReusePattern& reuse, const EffectiveCache& cache) {
  double others = 0;
  for (const TensorReuse& other : reuse.tensors) {
    if (!other.local && other.written > 0) others += other.unique;
  }
  const double pieces = reuse.slots * tensor.unique;
  const double room = std::max(cache.dirty - pieces, 0.1 * cache.dirty);
  return pieces * (1 + std::floor(others / room));
}

std::uint64_t within(double bytes, std::uint64_t least, std::uint64_t most) {
  if (bytes >= static_cast<double>(most)) return most;
  return std::clamp(static_cast<std::uint64_t>(std::max(bytes, 0.0)), std::min(least, most), most);
}

class Estimate {
 public:
  Estimate(const Program& program, const Traffic& traffic, const EffectiveCache& cache)
      : program_(program), traffic_(traffic), cache_(cache), carry_(program, cache) {}

  void launch(int number, const GpuSpec& gpu, LaunchHbmTraffic& moved) {
    find_reuse(program_, number, traffic_, gpu, cache_, reuse_);
    carry_.enter(number, reuse_);
    const SharedReuseModel shared(reuse_, cache_);
    const Missing rounds = missing_of_rounds(reuse_, cache_);
    for (int tensor = 0; tensor < program_.tensors.count(); ++tensor) moved.tensors.push({});
    for (const TensorReuse& tensor : reuse_.tensors) {
      const TensorTraffic bytes = with_views(number, tensor.tensor);
      const double read = reads(tensor, number, shared, rounds);
      const double written = writes(tensor, number, shared, rounds);
      moved.tensors[tensor.tensor] = {within(read, bytes.compulsory.read, bytes.io.read),
                                      within(written, bytes.compulsory.write, bytes.io.write)};
    }
    carry_.leave(number, reuse_);
  }

 private:
  double reads(const TensorReuse& tensor, int number, const SharedReuseModel& shared,
               const Missing& rounds) const {
    if (tensor.read <= 0 || tensor.local) return 0;
    const double unique = std::min(tensor.unique, tensor.read);
    const bool made_here =
        !carry_.touched_before(tensor) && program_.tensors[tensor.tensor].role != Role::input;
    const double first = made_here ? 0 : unique * carry_.gone(tensor, number, reuse_);
    return first + again(tensor, tensor.read, unique, shared, rounds.read);
  }

  double writes(const TensorReuse& tensor, int number, const SharedReuseModel& shared,
                const Missing& rounds) const {
    if (tensor.written <= 0) return 0;
    if (tensor.local) return local_writes(tensor, reuse_, cache_);
    const double unique = std::min(tensor.unique, tensor.written);
    return unique * carry_.written_back(tensor, number, reuse_) +
           again(tensor, tensor.written, unique, shared, rounds.write);
  }

  // What is moved once more of bytes that this launch has touched: by the same CTA, or by others.
  static double again(const TensorReuse& tensor, double visited, double unique,
                      const SharedReuseModel& shared, double round_misses) {
    const double once = std::max(visited / tensor.repeats, unique);
    const SharedReuse others = shared.of(tensor, once);
    return (visited - once) * round_misses +
           std::max(0.0, others.visits - unique * tensor.turns) * others.miss + unique * others.far_misses;
  }

  TensorTraffic with_views(int number, int base) const {
    TensorTraffic sum;
    for (int tensor = 0; tensor < program_.tensors.count(); ++tensor) {
      if (base_tensor(program_, tensor) != base) continue;
      const TensorTraffic& bytes = traffic_.launches[number].tensors[tensor];
      sum.io.read += bytes.io.read;
      sum.io.write += bytes.io.write;
      sum.compulsory.read += bytes.compulsory.read;
      sum.compulsory.write += bytes.compulsory.write;
    }
    return sum;
  }

  const Program& program_;
  const Traffic& traffic_;
  const EffectiveCache& cache_;
  LaunchCarry carry_;
  ReusePattern reuse_;
};

// Nothing can be shared.
void take_io(const Traffic& traffic, HbmTraffic& hbm) {
  for (const LaunchTraffic& launch : traffic.launches) {
    LaunchHbmTraffic& moved = hbm.launches.add();
    for (const TensorTraffic& tensor : launch.tensors) moved.tensors.push(tensor.io);
  }
}

}  // namespace

void estimate_hbm(const Program& program, const Traffic& traffic, const GpuSpec& gpu, HbmTraffic& hbm) {
  const EffectiveCache cache = effective_cache(l2_geometry(gpu));
  hbm.launches.clear();
  if (cache.capacity <= 0) {
    take_io(traffic, hbm);
    return;
  }
  Estimate estimate(program, traffic, cache);
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    estimate.launch(launch, gpu, hbm.launches.add());
  }
}

}  // namespace hbmscope
