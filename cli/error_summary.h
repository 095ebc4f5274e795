#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/tolerance.h"
#include "sim/record.h"

namespace hbmscope {

// How the errors (predicted / measured - 1) of one implementation's reads, or of its writes, are spread at
// one boundary. Nothing is left out but points that failed.
struct ErrorSummary {
  Boundary boundary = Boundary::hbm;
  std::string algorithm;
  std::string variant;
  std::optional<L2Mode> l2_mode;  // absent where the group holds the points of every mode
  bool of_reads = true;
  std::size_t count = 0;
  // Of |error|; the p-quantile is the smallest value that at least p of all values do not exceed (nearest
  // rank). Meaningless without a count.
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double worst = 0;                      // with its sign
  const Record* worst_record = nullptr;  // of `records`
};

// By boundary, then by implementation in the order of their first measured record, reads before writes. What
// was not measured has a count of 0. At HBM, points of different L2 modes are predictions of different
// models and make groups of their own.
std::vector<ErrorSummary> error_summaries(std::span<const Record> records);

// The same as a table, for a terminal.
std::string error_table(std::span<const Record> records, bool color);

// A failed point may hold a measurement too, but of a kernel that computes something else.
bool was_measured(const Record& record);

}  // namespace hbmscope
