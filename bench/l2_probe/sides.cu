// On which side of the L2 SMs are and lines are homed. A line is homed on one side; an SM of the other that
// reads it leaves a copy on its own. So what SM 0 has read is near for all SMs of its side, while an SM of
// the other side finds near what is homed there, and far the rest.

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "bench/l2_probe/gpu.cuh"
#include "bench/l2_probe/probes.h"

namespace hbmscope {
namespace {

constexpr std::size_t kHomeMib = 8;

std::vector<std::uint32_t> in_order(std::size_t lines) {
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

// How much more often than not values[i] (1, -1 or 0) is the parity of i & mask, for every mask: the
// Walsh-Hadamard transform.
std::vector<int> agreements(std::vector<int> values) {
  for (std::size_t half = 1; half < values.size(); half *= 2) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((i & half) != 0) continue;
      const int even = values[i], odd = values[i + half];
      values[i] = even + odd;
      values[i + half] = even - odd;
    }
  }
  return values;
}

}  // namespace

std::optional<Sides> probe_sides(const Gpu& gpu, const std::string& folder) {
  CsvFile file(folder + "/sm_sides.csv", "sm,median_cycles,far_share,side");
  std::optional<Sides> sides;
  const Lines lines{gpu.lines(512, 1).first, 512};  // half of them are homed on either side
  for (int sm = 0; sm < gpu.sms(); ++sm) {
    gpu.flush();
    gpu.read_by(0, lines);
    std::vector<std::uint16_t> cycles = gpu.latencies(sm, lines, in_order(lines.count));
    std::sort(cycles.begin(), cycles.end());
    const auto far = cycles.end() - std::upper_bound(cycles.begin(), cycles.end(), kNearCycles);
    const double far_share = static_cast<double>(far) / static_cast<double>(cycles.size());
    const int side = far_share > 0.25 ? 1 : 0;
    if (side == 1 && !sides) sides = Sides{0, sm};
    file.row(std::to_string(sm) + ',' + std::to_string(cycles[cycles.size() / 2]) + ',' +
             std::to_string(far_share) + ',' + std::to_string(side));
  }
  return sides;
}

// The best linear function over GF(2), home = parity(address & mask) or its complement, and how many of the
// lines it gets right. An address here is one of 8 MiB: bits above 20 are those of the physical address only
// where the driver has put the 2 MiB pages side by side.
void probe_homes(const Gpu& gpu, const Sides& sides, const std::string& folder) {
  CsvFile file(folder + "/homes.csv", "offset_mib,address_bits,lines,share_explained");
  for (const std::size_t offset_mib : {512, 520, 528, 680}) {
    const Lines lines = gpu.lines(offset_mib, kHomeMib);
    gpu.flush();
    gpu.read_by(sides.a, lines);
    std::vector<int> home;  // 1: of the side that asks, -1: of the other, 0: not to be told
    for (const unsigned cycles : gpu.latencies(sides.b, lines, in_order(lines.count)))
      home.push_back(cycles <= kNearCycles ? 1 : cycles <= kFarCycles ? -1 : 0);
    const auto known = lines.count - static_cast<std::size_t>(std::count(home.begin(), home.end(), 0));
    const std::vector<int> agreement = agreements(home);
    const auto best = std::max_element(agreement.begin(), agreement.end(),
                                       [](int one, int other) { return std::abs(one) < std::abs(other); });
    std::string bits;
    for (std::size_t mask = best - agreement.begin(), bit = 7; mask != 0; mask /= 2, ++bit)
      if (mask % 2 != 0) bits += (bits.empty() ? "" : " ") + std::to_string(bit);
    const double explained = known == 0 ? 0.0 : (1.0 + std::abs(*best) / static_cast<double>(known)) / 2.0;
    file.row(std::to_string(offset_mib) + ',' + bits + ',' + std::to_string(known) + ',' +
             std::to_string(explained));
  }
}

}  // namespace hbmscope
