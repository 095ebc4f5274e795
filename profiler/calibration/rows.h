#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/units.h"

namespace hbmscope {

// How consecutive memory meets the sets of an L2. A row of `row_pages` pages meets one of `classes` equal
// parts of a side's sets, each set once by a line of each home. Rows come in runs of kRowsOfRun: row r of run
// u meets class (kRowsOfRun · u + (r ^ swap(u))) mod classes, where swap(u) is the exclusive or of `swaps`
// over the bits of u.
struct MemoryRows {
  int row_pages = 0;
  int classes = 0;
  std::vector<std::int64_t> swaps;
  double unexplained = 0;  // share of the runs that are swapped otherwise
  // Where the region that was looked at begins, as far as this rule can tell: so many pages after the begin
  // of a run of such a number, and what its farther bits swap. Classes are known but for a constant.
  std::int64_t skipped_pages = 0;
  std::int64_t first_run = 0;
  int farther_swap = 0;
};

// A ring in the region that was looked at, which all SMs read several times.
struct Ring {
  std::int64_t first_page = 0;
  Bytes bytes = 0;
  double missing = 0;  // share of it that each round after the first reads from DRAM
};

inline constexpr Bytes kPageBytes = 4 * kKiB;
inline constexpr int kRowsOfRun = 16;

// From the pages of a region, in ascending order, that hold a line of a set which is homed on one side, for
// several sets. Pages near the ends of rows may share sets of the next one. Where the region begins in a run
// does not matter. Throws std::runtime_error if no such rule explains the order of the runs.
MemoryRows memory_rows(std::span<const std::vector<std::uint32_t>> pages_of_sets, std::uint32_t region_pages);

// Share of `bytes` of the region, from a page on, that lies in sets with more of them than `lines` at each
// home: where the least recently used goes, none of those is there when all are read again.
double overflowing_share(const MemoryRows& rows, std::int64_t first_page, Bytes bytes, int lines);

}  // namespace hbmscope
