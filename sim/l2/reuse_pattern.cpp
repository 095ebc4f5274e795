#include "sim/l2/reuse_pattern.h"

#include <algorithm>
#include <cmath>

#include "sim/l2/cta_slots.h"
#include "sim/l2/replay_values.h"
#include "sim/occupancy.h"

namespace hbmscope {
namespace {

// Few CTAs are dealt to all runs of SMs after the first is full.
double share_of_first_side(const GpuSpec& gpu, double ctas) {
  if (gpu.sm_runs.empty() || ctas >= static_cast<double>(gpu.sms)) return 0.5;
  const SmRun& first = gpu.sm_runs.front();
  const double alone = std::min(ctas, static_cast<double>(first.sms));
  double on_side = 0;
  for (const SmRun& run : gpu.sm_runs) on_side += run.side == first.side ? 1 : 0;
  const double others = std::max(1.0, static_cast<double>(gpu.sm_runs.size()) - 1);
  return (alone + (ctas - alone) * (on_side - 1) / others) / ctas;
}

void fill_gpu(const Launch& launch, const Program& program, const GpuSpec& gpu, ReusePattern& reuse) {
  const double slots = static_cast<double>(resident_ctas(launch, program, gpu));
  reuse.items = static_cast<double>(grid_size(launch, program));
  reuse.slots = slots;
  reuse.sms = std::min(slots, static_cast<double>(gpu.sms));
  reuse.rates = cta_rates(launch, program, gpu);
  reuse.first_side = share_of_first_side(gpu, slots);
}

// How often slower loops bring CTAs back to a plane.
double turns_of(const TensorReuse& tensor, const ReusePattern& reuse) {
  double turns = 1;
  double stride = 1;
  for (const GridFactor& factor : tensor.grid) {
    if (!factor.other_bytes && comes_back_later(reuse, stride)) turns *= factor.trips;
    stride *= factor.trips;
  }
  return turns;
}

void derive(const ReusePattern& reuse, const EffectiveCache& cache, TensorReuse& tensor) {
  if (tensor.local) {
    tensor.on_a_side = cache.single;
    return;
  }
  tensor.planes = distinct_planes(tensor, reuse.items);
  tensor.plane_bytes = tensor.unique / tensor.planes;
  tensor.walked_bytes = std::min(tensor.plane_bytes, tensor.visited() / reuse.items);
  tensor.sharers = reuse.sms / distinct_planes(tensor, reuse.sms);
  // The chance that all who share it are on one side halves with each of them.
  const bool likely_both = tensor.sharers > 16;
  tensor.on_a_side = likely_both ? 1 : 1 - (1 - cache.single) * std::exp2(1 - tensor.sharers);
  tensor.turns = turns_of(tensor, reuse);
  tensor.shared = tensor.planes < 0.999 * reuse.items;
}

}  // namespace

double ReusePattern::private_bytes() const {
  double bytes = 0;
  for (const TensorReuse& tensor : tensors) {
    if (!tensor.local && !tensor.shared) bytes += tensor.unique * tensor.on_a_side;
  }
  return bytes;
}

double ReusePattern::local_bytes() const {
  double bytes = 0;
  for (const TensorReuse& tensor : tensors) {
    if (tensor.local) bytes += slots * tensor.unique * tensor.on_a_side;
  }
  return bytes;
}

double distinct_planes(const TensorReuse& tensor, double items) {
  double planes = 1;
  double run = std::max(items, 1.0);
  for (const GridFactor& factor : tensor.grid) {
    if (!factor.other_bytes) {
      run = 1 + (run - 1) / factor.trips;  // wherever the run begins
    } else if (run <= factor.trips) {
      return planes * run;
    } else {
      planes *= factor.trips;
      run /= factor.trips;
    }
  }
  return planes;
}

void find_reuse(const Program& program, int launch, const Traffic& traffic, const GpuSpec& gpu,
                const EffectiveCache& cache, ReusePattern& reuse) {
  reuse.tensors.clear();
  reuse.repeating_loop = kNone;
  reuse.round_lengths.fill(1);
  reuse.uneven = false;
  reuse.walk = Walk::up;
  fill_gpu(program.launches[launch], program, gpu, reuse);
  read_body(program, launch, traffic, reuse);
  for (TensorReuse& tensor : reuse.tensors) derive(reuse, cache, tensor);
}

}  // namespace hbmscope
