#include "sim/l2/launch_carry.h"

#include <algorithm>
#include <cmath>

namespace hbmscope {
namespace {

double length_of(const LifeSpan& life) { return std::max(life.to - life.from, 1e-9); }

// When a CTA comes to a tensor for the first time, and for the last, if it does so again and again.
LifeSpan first_round(const TensorReuse& tensor) {
  return {tensor.life.from, tensor.life.from + (tensor.life.to - tensor.life.from) / tensor.repeats};
}

LifeSpan last_round(const TensorReuse& tensor) {
  return {tensor.life.to - (tensor.life.to - tensor.life.from) / tensor.repeats, tensor.life.to};
}

double share_before(const LifeSpan& flow, const LifeSpan& tensor) {
  const double middle = (tensor.from + tensor.to) / 2;
  return std::clamp((middle - flow.from) / length_of(flow), 0.0, 1.0);
}

double share_within(const LifeSpan& flow, const LifeSpan& tensor) {
  const double overlap = std::min(flow.to, tensor.to) - std::max(flow.from, tensor.from);
  return std::max(0.0, overlap) / length_of(flow);
}

}  // namespace

void LaunchCarry::enter(int launch, const ReusePattern& reuse) {
  Flow& flow = flows_[static_cast<std::size_t>(launch)];
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.local) continue;
    flow.touched += tensor.unique * tensor.on_a_side;
    if (tensor.written > 0) flow.written += tensor.unique;
  }
}

void LaunchCarry::leave(int launch, const ReusePattern& reuse) {
  if (launch + 1 == program_.launches.count()) return;
  for (const TensorReuse& tensor : reuse.tensors) {
    if (tensor.local) continue;
    const Touch touch = touch_of(tensor, launch, reuse);
    touched_[index_of(tensor)] = touch;
    if (tensor.written > 0) written_[index_of(tensor)] = touch;
  }
}

// A flow of `bytes` before the first touch of the tensor and after the last.
void LaunchCarry::add_flow(const TensorReuse& flow, double bytes, const TensorReuse& tensor, double wave,
                           Place& place) {
  const double earlier = share_before(first_round(flow), first_round(tensor));
  const double later = 1 - share_before(last_round(flow), last_round(tensor));
  place.before += bytes * ((1 - wave) / 2 + wave * earlier);
  place.after += bytes * ((1 - wave) / 2 + wave * later);
  place.ordered += bytes * (1 - wave);
  place.random += bytes * wave * share_within(first_round(flow), first_round(tensor));
}

LaunchCarry::Touch LaunchCarry::touch_of(const TensorReuse& tensor, int launch, const ReusePattern& reuse) {
  const double wave = reuse.slots / reuse.items;
  Touch touch;
  touch.launch = launch;
  for (const TensorReuse& flow : reuse.tensors) {
    if (flow.local) continue;
    add_flow(flow, flow.unique * flow.on_a_side, tensor, wave, touch.touched);
    if (flow.written > 0) add_flow(flow, flow.unique, tensor, wave, touch.written);
  }
  return touch;
}

double LaunchCarry::lost(const Touch& before, const Touch& now, const ReusePattern& reuse) const {
  double mean = before.touched.after + now.touched.before;
  for (int launch = before.launch + 1; launch < now.launch; ++launch) {
    mean += flows_[static_cast<std::size_t>(launch)].touched;
  }
  // Both launches walk over the tensor in the same order.
  const double ordered = std::abs(now.touched.ordered - before.touched.ordered);
  const double random = std::abs(now.touched.random - before.touched.random);
  return missing_by_side(cache_, reuse.first_side, [&](double load) {
    const double scale = load / cache_.single;
    return missing_share_of_sum(scale * mean, scale * ordered, scale * random, cache_.capacity);
  });
}

double LaunchCarry::cleaned(const Touch& before, const Touch& now) const {
  double mean = before.written.after + now.written.before;
  for (int launch = before.launch + 1; launch < now.launch; ++launch) {
    mean += flows_[static_cast<std::size_t>(launch)].written;
  }
  const double ordered = std::abs(now.written.ordered - before.written.ordered);
  const double random = std::abs(now.written.random - before.written.random);
  return missing_share_of_sum(mean, ordered, random, cache_.dirty);
}

double LaunchCarry::gone(const TensorReuse& tensor, int launch, const ReusePattern& reuse) const {
  const Touch& before = touched_[index_of(tensor)];
  return before.launch == kNone ? 1 : lost(before, touch_of(tensor, launch, reuse), reuse);
}

double LaunchCarry::written_back(const TensorReuse& tensor, int launch, const ReusePattern& reuse) const {
  const Touch& before = written_[index_of(tensor)];
  if (before.launch == kNone) return 1;
  const Touch now = touch_of(tensor, launch, reuse);
  return std::max(cleaned(before, now), lost(before, now, reuse));
}

}  // namespace hbmscope
