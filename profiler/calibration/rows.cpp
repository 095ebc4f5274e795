#include "profiler/calibration/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "profiler/calibration/run_swaps.h"

namespace hbmscope {
namespace {

using Pages = std::vector<std::uint32_t>;

// Of the runs, those that may have a row of a set against the rule, and those that may be swapped otherwise:
// pages at the ends of rows are often taken for the next row's (under a tenth of the runs on the recorded
// H200). With no rule, 15 of 16 would be.
constexpr double kOtherRuns = 0.04;
constexpr double kOtherSwaps = 0.25;
constexpr int kFewestRowPages = 8;
constexpr int kMostClasses = 64;
constexpr std::size_t kTriedLengths = 20;
constexpr std::size_t kFewestPages = 200;  // of a set

// The place in its run of the row that holds a line of the set, by run; kUnsure where several do. Pages near
// the end of a row may belong to the next one.
using PlacesInRuns = std::map<std::int64_t, int>;
constexpr int kUnsure = -2;

PlacesInRuns places_in_runs(const Pages& set, int row_pages, std::int64_t skipped_pages) {
  PlacesInRuns places;
  for (const std::uint32_t page : set) {
    const std::int64_t row = (page + skipped_pages) / row_pages;
    const auto place = static_cast<int>(row % kRowsOfRun);
    const auto [known, is_new] = places.emplace(row / kRowsOfRun, place);
    if (!is_new && known->second != place) known->second = kUnsure;
  }
  return places;
}

// How many runs have several rows with a line of the set.
std::int64_t unsure_runs(const Pages& set, int row_pages, std::int64_t skipped_pages) {
  std::int64_t unsure = 0;
  std::int64_t last_row = -1;
  std::int64_t last_unsure = -1;
  for (const std::uint32_t page : set) {
    const std::int64_t row = (page + skipped_pages) / row_pages;
    const std::int64_t run = row / kRowsOfRun;
    if (last_row >= 0 && row != last_row && run == last_row / kRowsOfRun && run != last_unsure) {
      ++unsure;
      last_unsure = run;
    }
    last_row = row;
  }
  return unsure;
}

// How many pages of the first run may lie before the region: with the right number, hardly any run
// has two rows with a line of a set.
struct Skipped {
  std::vector<std::int64_t> pages;
  std::int64_t unsure = std::numeric_limits<std::int64_t>::max();
};

Skipped possibly_skipped(std::span<const Pages> sets, int row_pages) {
  Skipped possible;
  for (std::int64_t skipped = 0; skipped < std::int64_t{row_pages} * kRowsOfRun; ++skipped) {
    std::int64_t unsure = 0;
    for (const Pages& set : sets) {
      unsure += unsure_runs(set, row_pages, skipped);
      if (unsure > possible.unsure) break;
    }
    if (unsure < possible.unsure) possible.pages.clear();
    possible.unsure = std::min(possible.unsure, unsure);
    if (unsure == possible.unsure) possible.pages.push_back(skipped);
  }
  return possible;
}

// Where the set is of this class; nothing if a run has a row of the set and should have none, or the other
// way round, more often than chance evictions explain.
std::optional<Swaps> swaps_of(const PlacesInRuns& set, int classes, int its, std::int64_t runs) {
  Swaps swaps(static_cast<std::size_t>(runs), kNoSwap);
  std::int64_t wrong = 0;
  for (std::int64_t run = 1; run + 1 < runs; ++run) {  // the first and the last may be cut
    const auto place = static_cast<int>(((its - kRowsOfRun * run) % classes + classes) % classes);
    const auto found = set.find(run);
    if (found != set.end() && found->second == kUnsure) continue;
    if ((found != set.end()) != (place < kRowsOfRun)) {
      ++wrong;
    } else if (found != set.end()) {
      swaps[static_cast<std::size_t>(run)] = found->second ^ place;
    }
  }
  if (static_cast<double>(wrong) > kOtherRuns * static_cast<double>(runs)) return std::nullopt;
  return swaps;
}

std::int64_t agreements(const Swaps& one, const Swaps& other) {
  std::int64_t count = 0;
  for (std::size_t run = 0; run < one.size(); ++run)
    count += one[run] != kNoSwap && one[run] == other[run] ? 1 : 0;
  return count;
}

// What most sets say of each run; nothing if one of them is of no class. The first set's class is only known
// but for a constant, which swaps all runs alike.
std::optional<Swaps> swaps_of_all(std::span<const PlacesInRuns> sets, int classes, std::int64_t runs) {
  std::vector<std::array<int, kRowsOfRun>> votes(static_cast<std::size_t>(runs));
  Swaps most(votes.size(), kNoSwap);
  for (const PlacesInRuns& set : sets) {
    std::optional<Swaps> best;
    for (int its = 0; its < classes; ++its) {
      std::optional<Swaps> swaps = swaps_of(set, classes, its, runs);
      if (!swaps || (best && agreements(*swaps, most) <= agreements(*best, most))) continue;
      best = std::move(swaps);
    }
    if (!best) return std::nullopt;
    for (std::size_t run = 0; run < votes.size(); ++run) {
      if ((*best)[run] == kNoSwap) continue;
      ++votes[run].at(static_cast<std::size_t>((*best)[run]));
      most[run] = static_cast<int>(std::ranges::max_element(votes[run]) - votes[run].begin());
    }
  }
  return most;
}

// A row and how many of them meet every set.
struct Length {
  int row_pages = 0;
  int classes = 0;
};

// Those of which a whole number, more than a run has, meets a set as often as the pages say; the likeliest
// first.
std::vector<Length> possible_lengths(std::span<const Pages> sets, std::uint32_t region_pages) {
  std::size_t pages = 0;
  for (const Pages& set : sets) pages += set.size();
  if (pages == 0 || pages < kFewestPages * sets.size())
    throw std::runtime_error("too few pages hold lines of the sets");
  const double window =
      static_cast<double>(region_pages) * static_cast<double>(sets.size()) / static_cast<double>(pages);
  std::vector<std::pair<std::int64_t, Length>> lengths;  // with the runs that they leave unsure
  for (auto whole = static_cast<int>(0.995 * window); whole <= 1.005 * window; ++whole) {
    for (int classes = kRowsOfRun + 1; classes <= kMostClasses; ++classes) {
      const int row_pages = whole / classes;
      if (whole % classes != 0 || row_pages < kFewestRowPages) continue;
      lengths.emplace_back(possibly_skipped(sets, row_pages).unsure, Length{row_pages, classes});
    }
  }
  std::ranges::sort(lengths, {}, [](const auto& length) { return length.first; });
  std::vector<Length> likeliest;
  for (const auto& length : lengths) likeliest.push_back(length.second);
  if (likeliest.size() > kTriedLengths) likeliest.resize(kTriedLengths);
  return likeliest;
}

// For one length and one number of skipped pages.
MemoryRows rows_from(std::span<const Pages> pages_of_sets, std::uint32_t region_pages, const Length& length,
                     std::int64_t skipped) {
  std::vector<PlacesInRuns> sets;
  for (const Pages& pages : pages_of_sets) sets.push_back(places_in_runs(pages, length.row_pages, skipped));
  MemoryRows rows;
  rows.row_pages = length.row_pages;
  rows.classes = length.classes;
  rows.unexplained = 1;
  const std::int64_t runs = (region_pages + skipped) / (std::int64_t{length.row_pages} * kRowsOfRun);
  const std::optional<Swaps> swaps = swaps_of_all(sets, length.classes, runs);
  if (!swaps || swaps->empty()) return rows;
  BitEffects effects = best_effects(*swaps);
  rows.skipped_pages = skipped;
  rows.first_run = static_cast<std::int64_t>(effects.before);
  rows.farther_swap = farther_swap(*swaps, effects);
  rows.unexplained = other_share(*swaps, effects, rows.farther_swap);
  rows.swaps = std::move(effects.swaps);
  return rows;
}

}  // namespace

MemoryRows memory_rows(std::span<const Pages> pages_of_sets, std::uint32_t region_pages) {
  for (const Length& length : possible_lengths(pages_of_sets, region_pages)) {
    MemoryRows best;
    best.unexplained = 1;
    for (const std::int64_t skipped : possibly_skipped(pages_of_sets, length.row_pages).pages) {
      MemoryRows rows = rows_from(pages_of_sets, region_pages, length, skipped);
      if (rows.unexplained < best.unexplained) best = std::move(rows);
      if (best.unexplained == 0) break;
    }
    if (best.unexplained <= kOtherSwaps) return best;
  }
  throw std::runtime_error(fmt::format(
      "memory is not in runs of {} rows, each of another class, in an order that is an exclusive or "
      "of bits of the run's number",
      kRowsOfRun));
}

// Pages at the same place of rows of one class are taken to share their sets.
double overflowing_share(const MemoryRows& rows, std::int64_t first_page, Bytes bytes, int lines) {
  const std::int64_t run_pages = std::int64_t{rows.row_pages} * kRowsOfRun;
  const std::int64_t begin = rows.first_run * run_pages + rows.skipped_pages + first_page;
  const auto pages = static_cast<std::int64_t>(bytes / kPageBytes);
  std::vector<std::int64_t> held(static_cast<std::size_t>(rows.classes) *
                                 static_cast<std::size_t>(rows.row_pages));
  for (std::int64_t page = begin; page < begin + pages; ++page) {
    const std::int64_t run = page / run_pages;
    const std::int64_t place = page / rows.row_pages % kRowsOfRun;
    const std::int64_t swap = swap_by(rows.swaps, static_cast<std::size_t>(run)) ^ rows.farther_swap;
    const std::int64_t its = (kRowsOfRun * run + (place ^ swap)) % rows.classes;
    ++held[static_cast<std::size_t>(its * rows.row_pages + page % rows.row_pages)];
  }
  std::int64_t overflowing = 0;
  for (const std::int64_t count : held) overflowing += count > lines ? count : 0;
  return static_cast<double>(overflowing) / static_cast<double>(std::max<std::int64_t>(pages, 1));
}

}  // namespace hbmscope
