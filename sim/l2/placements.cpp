#include "sim/l2/placements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/l2/l2_geometry.h"
#include "sim/l2/replay.h"
#include "sim/l2/tensor_places.h"

namespace hbmscope {
namespace {

// Of a normal distribution, and of Student's with 1, 2, 3 … degrees of freedom.
constexpr double kNormal95 = 1.645;
constexpr std::array<double, kMostPlacements - 1> kStudent95{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                                             1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761};

// Enough placements were looked at for where the tensors lie not to matter: three, with bytes within 0.5 %.
bool agree(const std::vector<double>& bytes) {
  if (bytes.size() < kFewestPlacements) return false;
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  return *most - *least <= 0.005 * *most;
}

double deviation_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

struct Stretch {
  std::uint64_t low;
  std::uint64_t high;
};

// What the median placement moves with a larger and with a smaller L2.
struct OtherCapacities {
  std::uint64_t larger;
  std::uint64_t smaller;
};

// No placement moves less than what is compulsory.
Stretch around(std::uint64_t median, std::uint64_t compulsory, const OtherCapacities& capacities,
               const std::vector<double>& placements) {
  const auto [least, most] = std::minmax({median, capacities.larger, capacities.smaller});
  const double of_placements = prediction_reach(placements.size()) * deviation_of(placements);
  const auto reach = [of_placements](std::uint64_t of_capacity) {
    return static_cast<std::uint64_t>(
        std::hypot(of_placements, kNormal95 * static_cast<double>(of_capacity)));
  };
  const std::uint64_t down = std::min(reach(median - least), median);
  return {std::max(median - down, std::min(median, compulsory)), median + reach(most - median)};
}

ReadWrite total_with(double capacity, const Program& program, const GpuSpec& gpu, std::uint64_t seed,
                     StopFlag stop) {
  HbmTraffic hbm;
  replay(program, gpu, of_capacity(capacity, l2_geometry(gpu)), seed, hbm, stop);
  return hbm.total;
}

}  // namespace

double prediction_reach(std::size_t values) {
  return kStudent95.at(values - 2) * std::sqrt(1 + 1 / static_cast<double>(values));
}

void replay_placements(const Program& program, const GpuSpec& gpu, const Traffic& traffic, HbmTraffic& hbm,
                       StopFlag stop) {
  std::vector<HbmTraffic> runs;
  std::vector<double> reads;
  std::vector<double> writes;
  while (runs.size() < kMostPlacements && !agree(reads)) {
    const std::uint64_t seed = runs.size();
    replay(program, gpu, seed, runs.emplace_back(), stop);
    reads.push_back(static_cast<double>(runs.back().total.read));
    writes.push_back(static_cast<double>(runs.back().total.write));
  }
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const HbmTraffic& a, const HbmTraffic& b) { return a.total.read < b.total.read; });
  hbm = *middle;
  const ReadWrite compulsory = total_of(traffic).compulsory;
  const ReadWrite larger = total_with(1 + kUnsureCapacity, program, gpu, *hbm.seed, stop);
  const ReadWrite smaller = total_with(1 - kUnsureCapacity, program, gpu, *hbm.seed, stop);
  const Stretch read = around(hbm.total.read, compulsory.read, {larger.read, smaller.read}, reads);
  const Stretch write = around(hbm.total.write, compulsory.write, {larger.write, smaller.write}, writes);
  hbm.band = HbmBand{{read.low, write.low}, {read.high, write.high}};
}

}  // namespace hbmscope
