#include "sim/l2/effective_cache.h"

#include <algorithm>
#include <cmath>

namespace hbmscope {
namespace {

// ∫ overflow.
double overflow_integral(double distance, double capacity, double spread) {
  const double begin = capacity * (1 - spread);
  const double width = 2 * spread * capacity;
  const double t = std::clamp((distance - begin) / width, 0.0, 1.0);
  const double beyond = std::max(0.0, distance - begin - width);
  return width * width * t * t * t * t * (0.25 - 0.1 * t) + beyond * width / 2 + beyond * beyond / 2;
}

}  // namespace

EffectiveCache effective_cache(const L2Geometry& geometry) {
  const double homes = geometry.homes;
  const double sides = geometry.sides;
  EffectiveCache cache;
  cache.dirty = static_cast<double>(geometry.dirty_bytes) * homes;
  cache.window = static_cast<double>(geometry.stretch_bytes) * geometry.groups;
  if (geometry.home_is_a_side) {
    cache.capacity = static_cast<double>(geometry.side_bytes);
    // Near the SM, and at its home if that is another side.
    cache.single = (1 + (sides - 1) / sides) / sides;
  } else {
    cache.capacity = static_cast<double>(geometry.home_bytes) * homes;
  }
  const double homes_bytes =
      homes * static_cast<double>(geometry.home_is_a_side ? geometry.side_bytes : geometry.home_bytes);
  // The variance of a count of lines grows with the count.
  cache.dirty_deviation = kDirtyDeviation * std::sqrt(homes_bytes / std::max(cache.dirty, 1.0));
  cache.stretch_load = cache.window / cache.capacity;
  return cache;
}

double overflow(double distance, double capacity, double spread) {
  const double begin = capacity * (1 - spread);
  const double width = 2 * spread * capacity;
  const double t = std::clamp((distance - begin) / width, 0.0, 1.0);
  return width * t * t * t * (1 - t / 2) + std::max(0.0, distance - begin - width);
}

double missing_share(double from, double to, double capacity, double spread) {
  if (capacity <= 0) return 1;
  const double low = std::min(from, to);
  const double high = std::max({from, to, low + 1e-6 * capacity});
  if (high <= capacity * (1 - spread)) return 0;
  return (overflow(high, capacity, spread) - overflow(low, capacity, spread)) / (high - low);
}

double overflowing_share(double distance, double capacity, double deviation) {
  if (capacity <= 0) return 1;
  return 0.5 * std::erfc((1 - distance / capacity) / (deviation * std::sqrt(2.0)));
}

double missing_share_of_sum(double mean, double one, double other, double capacity) {
  if (capacity <= 0) return 1;
  const double a = std::max(one, 0.02 * capacity) / 2;
  const double b = std::max(other, 0.02 * capacity) / 2;
  if (mean + a + b <= capacity * (1 - kEvenSpread)) return 0;
  const auto integral = [&](double distance) { return overflow_integral(distance, capacity, kEvenSpread); };
  return (integral(mean + a + b) - integral(mean + a - b) - integral(mean - a + b) + integral(mean - a - b)) /
         (4 * a * b);
}

}  // namespace hbmscope
