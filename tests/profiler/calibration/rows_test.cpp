#include "profiler/calibration/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/calibration/findings.h"
#include "tests/profiler/calibration/recorded_probe.h"

namespace hbmscope {
namespace {

using Pages = std::vector<std::uint32_t>;

constexpr std::uint32_t kRegion = 400'000;

struct Rule {
  int row_pages;
  int classes;
  std::vector<std::int64_t> swaps;
  std::int64_t begin;  // first page of the region
};

std::int64_t swap_of(const Rule& rule, std::int64_t run) {
  std::int64_t swap = 0;
  for (std::size_t bit = 0; bit < rule.swaps.size(); ++bit) {
    if ((run >> bit & 1) != 0) swap ^= rule.swaps[bit];
  }
  return swap;
}

// A page of every row of the class, about the same one.
Pages pages_of(const Rule& rule, int its, std::int64_t place) {
  Pages pages;
  for (std::int64_t row = rule.begin / rule.row_pages + 1;; ++row) {
    const std::int64_t page = row * rule.row_pages + (place ^ row % 4) - rule.begin;
    if (page >= kRegion) return pages;
    const std::int64_t run = row / kRowsOfRun;
    const std::int64_t met = kRowsOfRun * run + (row % kRowsOfRun ^ swap_of(rule, run));
    if (met % rule.classes == its) pages.push_back(static_cast<std::uint32_t>(page));
  }
}

std::vector<Pages> sets_of(const Rule& rule) {
  std::vector<Pages> sets;
  for (const int its : {3, 11, 17, 18}) sets.push_back(pages_of(rule, its, 4 * its % (rule.row_pages - 4)));
  return sets;
}

// Of two GPUs.
constexpr std::array<const char*, 2> kRecordings{"rows_h200", "calibrate_h200"};

MemoryRows recorded_rows(const std::string& recording) {
  std::vector<Pages> sets;
  std::uint32_t region = 0;
  for (const auto& row : recorded_probe("rows.csv", recording)) {
    std::stringstream text(row.at("pages_of_set"));
    Pages& pages = sets.emplace_back();
    for (std::uint32_t page = 0; text >> page;) pages.push_back(page);
    region = static_cast<std::uint32_t>(std::stoul(row.at("pages")));
  }
  return memory_rows(sets, region);
}

const Rule& h200() {
  static const Rule rule{47, 20, {6, 7, 4, 13, 4, 0, 13, 9}, 1'234'567};
  return rule;
}

}  // namespace

TEST(MemoryRows, AreFoundWhereverTheRegionBegins) {
  for (Rule rule : {h200(), Rule{64, 24, {1, 2, 4, 8, 15, 5, 3}, 98'765}}) {
    for (const std::int64_t begin : {std::int64_t{0}, rule.begin, std::int64_t{7'654'321}}) {
      rule.begin = begin;
      const MemoryRows rows = memory_rows(sets_of(rule), kRegion);
      EXPECT_EQ(rows.row_pages, rule.row_pages);
      EXPECT_EQ(rows.classes, rule.classes);
      EXPECT_DOUBLE_EQ(rows.unexplained, 0);
      // Bits in which few runs of the region differ can be told from others in more than one way.
      ASSERT_LE(rule.swaps.size(), rows.swaps.size());
      for (std::size_t bit = 0; bit < 5; ++bit) EXPECT_EQ(rows.swaps[bit], rule.swaps[bit]) << bit;
    }
  }
}

TEST(MemoryRows, OfAnH200Are47PagesAndReach47Of48PartsOfItsL2) {
  for (const char* recording : kRecordings) {
    const MemoryRows rows = recorded_rows(recording);
    EXPECT_EQ(rows.row_pages, 47);
    EXPECT_EQ(rows.classes, 20);
    EXPECT_LT(rows.unexplained, 0.1);
    EXPECT_EQ(rows.swaps, (std::vector<std::int64_t>{6, 7, 4, 13, 4, 0, 13, 9, 6, 7, 0}));
    Findings findings;
    findings.ways = 16;
    EXPECT_FALSE(findings.reached_bytes());
    findings.rows = rows;
    EXPECT_EQ(findings.reached_bytes().value(), 60 * kMiB / 48 * 47);
  }
}

// Rings in the memory whose rows were found: each at its place, not over placements.
TEST(MemoryRows, SayWhichSetsOverflowAtEachPlace) {
  for (const char* recording : kRecordings) {
    const MemoryRows rows = recorded_rows(recording);
    MemoryRows elsewhere = rows;
    ++elsewhere.first_run;
    double sum = 0;
    double other = 0;
    int rings = 0;
    for (const auto& row : recorded_probe("rings.csv", recording)) {
      const std::int64_t page = std::stoll(row.at("first_page"));
      const Bytes bytes = std::stoull(row.at("bytes"));
      const double again = std::stod(row.at("rounds")) - 1;
      const double counted = (std::stod(row.at("dram_read_bytes")) / static_cast<double>(bytes) - 1) / again;
      const double said = overflowing_share(rows, page, bytes, 8);
      EXPECT_NEAR(said, counted, 0.05) << recording << ", " << page << ", " << bytes;
      sum += std::abs(said - counted);
      other += std::abs(overflowing_share(elsewhere, page, bytes, 8) - said);
      ++rings;
    }
    EXPECT_EQ(rings, 84);
    EXPECT_LT(sum / rings, 0.006);
    EXPECT_GT(other / rings, 0.02);  // where memory begins matters
  }
}

// Twice what fits, in whole runs; and what fits.
TEST(MemoryRows, AllOverflowOrNoneInWholeRounds) {
  MemoryRows rows;
  rows.row_pages = 47;
  rows.classes = 20;
  rows.swaps = {6, 7, 4, 13};
  const Bytes round = Bytes{5} * kRowsOfRun * 47 * kPageBytes;  // meets every set four times
  EXPECT_EQ(overflowing_share(rows, 0, 2 * round, 8), 0);
  EXPECT_EQ(overflowing_share(rows, 0, 4 * round, 8), 1);
  EXPECT_EQ(overflowing_share(rows, 0, 0, 8), 0);
}

TEST(MemoryRows, AreFoundAmongChanceEvictions) {
  for (const bool more : {false, true}) {
    std::vector<Pages> sets = sets_of(h200());
    std::mt19937 random(3);
    for (Pages& pages : sets) {
      for (int chance = 0; chance < 2; ++chance) {  // of 425
        if (more) {
          pages.push_back(static_cast<std::uint32_t>(random() % kRegion));
        } else {
          pages.erase(pages.begin() + static_cast<std::ptrdiff_t>(random() % pages.size()));
        }
      }
      std::ranges::sort(pages);
    }
    const MemoryRows rows = memory_rows(sets, kRegion);
    EXPECT_EQ(rows.row_pages, 47) << more;
    EXPECT_EQ(rows.swaps.at(3), 13) << more;
  }
}

// What is found tells what overflows where, as the true rule does.
TEST(MemoryRows, KnowWhereTheRegionBegins) {
  for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{1'234'567}, std::int64_t{7'654'321}}) {
    Rule rule = h200();
    rule.begin = begin;
    const MemoryRows rows = memory_rows(sets_of(rule), kRegion);
    MemoryRows exact;
    exact.row_pages = rule.row_pages;
    exact.classes = rule.classes;
    exact.swaps = rule.swaps;
    exact.first_run = begin / (kRowsOfRun * rule.row_pages);
    exact.skipped_pages = begin % (kRowsOfRun * rule.row_pages);
    for (const std::int64_t page : {1'000, 77'777, 300'001}) {
      for (const Bytes mib : {Bytes{29}, Bytes{32}}) {
        EXPECT_NEAR(overflowing_share(rows, page, mib * kMiB, 8),
                    overflowing_share(exact, page, mib * kMiB, 8), 0.02)
            << begin << ", " << page << ", " << mib;
      }
    }
  }
}

TEST(MemoryRows, AreRefusedWhereMemoryFollowsNoRule) {
  std::mt19937 random(5);
  std::vector<Pages> sets(4);
  for (Pages& pages : sets) {
    for (int i = 0; i < 400; ++i) pages.push_back(static_cast<std::uint32_t>(random() % kRegion));
    std::ranges::sort(pages);
  }
  EXPECT_THROW(memory_rows(sets, kRegion), std::runtime_error);
  EXPECT_THROW(memory_rows(std::vector<Pages>(3), kRegion), std::runtime_error);
}

}  // namespace hbmscope
