#include "profiler/calibration/written_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "profiler/statistics.h"

namespace hbmscope {
namespace {

// Buffers from here on leave as much dirty as can be.
constexpr double kLargeShare = 0.75;

double missed_share(const CountedRing& ring) {
  return (ring.dram_read - ring.bytes) / (ring.bytes * (ring.rounds - 1));
}

}  // namespace

double dirty_share_of(std::span<const WrittenBuffer> buffers, double capacity_bytes) {
  std::vector<double> shares;
  for (const WrittenBuffer& buffer : buffers) {
    if (buffer.bytes < kLargeShare * capacity_bytes) continue;
    const double counted = buffer.written_meanwhile + buffer.written_later;
    if (std::abs(counted / buffer.bytes - 1) > 0.1) {
      throw std::runtime_error(
          fmt::format("SMs wrote {:.1f} MB, and DRAM was written {:.1f} MB; is the GPU in use?",
                      buffer.bytes / 1e6, counted / 1e6));
    }
    shares.push_back((buffer.bytes - buffer.written_meanwhile) / capacity_bytes);
  }
  const std::optional<double> middle = median(shares);
  if (!middle) throw std::runtime_error("no buffer that was written is large enough to fill the L2");
  if (*middle <= 0.01 || *middle > 1 || spread(shares).value_or(0) > 0.1) {
    throw std::runtime_error(
        fmt::format("{:.3f} of the L2 stays dirty, with a spread of {:.0f} %: expected a share "
                    "with a spread up to 10 %",
                    *middle, 100 * spread(shares).value_or(0)));
  }
  return std::round(*middle * 100) / 100;  // as exact as a megabyte in 100
}

std::optional<double> knee_of(std::span<const CountedRing> rings) {
  for (std::size_t i = 1; i < rings.size(); ++i) {
    const double before = missed_share(rings[i - 1]);
    const double after = missed_share(rings[i]);
    if (before >= 0.5 || after < 0.5) continue;
    return rings[i - 1].bytes + (0.5 - before) / (after - before) * (rings[i].bytes - rings[i - 1].bytes);
  }
  return std::nullopt;
}

}  // namespace hbmscope
