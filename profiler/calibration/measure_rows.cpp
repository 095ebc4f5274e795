// How memory meets the sets of the L2: all pages of 4 GiB with lines of a few sets. And rings in that memory,
// by which to see whether the rule says at each place which sets overflow.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"
#include "profiler/calibration/set_search.h"
#include "profiler/cupti_source.h"
#include "profiler/sweep.h"

namespace hbmscope {
namespace {

constexpr std::uint32_t kPages = Probe::kMemoryMib * (kMiB / kPageBytes);
constexpr std::uint32_t kLinesOfPage = kPageBytes / kProbeLineBytes;
constexpr std::size_t kSets = 6;
constexpr std::uint32_t kTries = 36;
constexpr std::uint32_t kStride = 100'003;  // odd, so that targets are different lines of their pages

constexpr std::uint32_t target(std::uint32_t number) { return kStride * number + 1'001; }
static_assert(target(kTries) < SetSearch::kSearchedMib * kLinesPerMib);

// As the parity of its address bits says.
int home_of(std::uint32_t page, const std::vector<int>& home_bits) {
  int home = 0;
  for (const int bit : home_bits) home ^= static_cast<int>(Bytes{page} * kPageBytes >> bit & 1U);
  return home;
}

class PageSearch {
 public:
  PageSearch(Probe& probe, unsigned margin)
      : probe_(probe),
        margin_(margin),
        find_(probe.kernel(calibration_build("rows"), "find_pages")),
        shares_(kPages) {}

  // Of one home (of one parity of the bits that are known), in ascending order. The target and its eviction
  // set share it, too.
  std::vector<std::uint32_t> pages(const SetSearch& search, std::uint32_t target, const EvictionSet& set,
                                   const std::vector<int>& home_bits) {
    set_.assign(std::array{set});
    shares_.assign(std::vector<std::uint8_t>(kPages));
    probe_.run_on(SetSearch::kSm, 32, find_, search.first(), kPages, set_.address(), target, margin_,
                  shares_.address());
    std::set<std::uint32_t> found{target / kLinesOfPage};
    for (int line = 0; line < set.ways; ++line) found.insert(set.lines[line] / kLinesOfPage);
    const std::vector<std::uint8_t> shares = shares_.values();
    for (std::uint32_t page = 0; page < kPages; ++page) {
      if (shares[page] != 0) found.insert(page);
    }
    std::erase_if(found, [&](std::uint32_t page) { return home_of(page, home_bits) != 0; });
    return {found.begin(), found.end()};
  }

 private:
  Probe& probe_;
  unsigned margin_;
  Kernel find_;
  DeviceArray<EvictionSet> set_{1};
  DeviceArray<std::uint8_t> shares_;
};

constexpr int kRingPlaces = 12;
constexpr std::int64_t kRingRounds = 4;

// Rings at random places and in sizes around those of a side.
std::vector<Ring> measure_rings(Calibration& calibration, CUdeviceptr memory) {
  EvidenceFile file(calibration.evidence, "rings.csv", "first_page,bytes,rounds,dram_read_bytes");
  Probe& probe = calibration.probe;
  CuptiCounterSource counters(probe.device());
  const L2Sweep sweep(probe.device());
  const Kernel read = probe.kernel(calibration_build("lines"), "read_ring");
  const LaunchShape all{.grid_x = static_cast<unsigned>(probe.sms()), .threads = 1024};
  const auto side_mib = static_cast<Bytes>(calibration.facts.l2_bytes / kMiB) /
                        static_cast<Bytes>(calibration.findings.sides());
  std::mt19937 random(9);
  const Bytes largest_mib = side_mib + 4;
  std::vector<Ring> rings;
  for (int place = 0; place < kRingPlaces; ++place) {
    const auto page = static_cast<std::uint32_t>(random() % (kPages - largest_mib * (kMiB / kPageBytes)));
    Replay replay;
    replay.prepare = [&] { sweep.run(); };
    std::vector<Bytes> sizes;
    for (Bytes mib = std::max<Bytes>(side_mib, 3) - 2; mib <= largest_mib; ++mib) {
      sizes.push_back(mib * kMiB);
      const std::uint64_t lines = sizes.back() / kProbeLineBytes;
      replay.ranges.push_back({fmt::format("ring {}", mib), [&, lines] {
                                 Probe::submit(read, all, memory + page * kPageBytes, lines,
                                               static_cast<int>(kRingRounds), 0);
                               }});
      replay.ranges.push_back({fmt::format("sweep {}", mib), [&] { sweep.run(); }});
    }
    const CounterReadings readings = counters.measure(std::vector{Quantity::hbm_read}, replay);
    if (!readings.absent.empty()) throw std::runtime_error(readings.absent.begin()->second);
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      const double bytes = readings.ranges.at(2 * size).at(Quantity::hbm_read);
      file.row(fmt::format("{},{},{},{:.0f}", page, sizes[size], kRingRounds, bytes));
      const double rounds = bytes / static_cast<double>(sizes[size]);
      rings.push_back({page, sizes[size], (rounds - 1) / static_cast<double>(kRingRounds - 1)});
    }
  }
  return rings;
}

}  // namespace

void measure_rows(Calibration& calibration) {
  const unsigned margin = calibration.findings.bounds.value().eviction_margin;
  const std::vector<int>& home_bits = calibration.findings.home_bits;
  if (std::ranges::any_of(home_bits, [](int bit) { return Bytes{1} << bit < kPageBytes; }))
    throw std::runtime_error("homes change within a page");
  const int ways = calibration.findings.ways.value();
  SetSearch search(calibration.probe, margin);
  PageSearch page_search(calibration.probe, margin);
  EvidenceFile file(calibration.evidence, "rows.csv", "target_line,pages,pages_of_set");
  std::vector<std::vector<std::uint32_t>> pages_of_sets;
  for (std::uint32_t number = 0; number < kTries && pages_of_sets.size() < kSets; ++number) {
    const EvictionSet set = search.find(target(number));
    if (set.ways != ways) continue;
    pages_of_sets.push_back(page_search.pages(search, target(number), set, home_bits));
    file.row(fmt::format("{},{},{}", target(number), kPages, fmt::join(pages_of_sets.back(), " ")));
  }
  if (pages_of_sets.size() < kSets) throw std::runtime_error("too few searches found an eviction set");
  Findings& findings = calibration.findings;
  findings.rows = memory_rows(pages_of_sets, kPages);
  findings.rings = measure_rings(calibration, search.first());
}

}  // namespace hbmscope
