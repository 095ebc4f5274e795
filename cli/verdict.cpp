#include "cli/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/error_summary.h"
#include "cli/point_columns.h"

namespace hbmscope {
namespace {

// "recorded on NVIDIA H200 (driver 580.95, CUDA 13.0), 2026-11-29: 64 points"
std::string origins(std::span<const Record> records) {
  std::map<std::string, std::size_t> counts;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    const Provenance& from = record.provenance;
    std::vector<std::string> details;
    if (!from.driver.empty()) details.push_back("driver " + from.driver);
    if (!from.cuda.empty()) details.push_back(from.cuda);
    const std::string how = from.source == "live" ? "measured live"
                            : from.source.empty() ? "measured"
                                                  : from.source;
    ++counts[fmt::format("{} on {}{}{}{}", how, from.gpu.empty() ? "an unnamed GPU" : from.gpu,
                         details.empty() ? "" : fmt::format(" ({})", fmt::join(details, ", ")),
                         from.date.empty() ? "" : ", " + from.date.substr(0, 10),
                         from.stale ? ", STALE: with other kernels than today's" : "")];
  }
  std::vector<std::string> parts;
  for (const auto& [origin, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, count == 1 ? "point " + origin : "points " + origin));
  }
  return fmt::format("Measured values: {}.", fmt::join(parts, "; "));
}

// Registers that were spilled move bytes which no prediction has.
std::string spills(std::span<const Record> records) {
  std::size_t points = 0;
  std::int64_t largest = 0;
  for (const Record& record : records) {
    const std::int64_t bytes = record.provenance.spill_bytes.value_or(0);
    if (!was_measured(record) || bytes == 0) continue;
    ++points;
    largest = std::max(largest, bytes);
  }
  if (points == 0) return "";
  return fmt::format("Kernels of {} point{} spill registers, up to {} B a thread: see meas_local_bytes.\n",
                     points, points == 1 ? "" : "s", largest);
}

}  // namespace

std::string verdict(std::span<const Record> records, bool color) {
  bool measured = false;
  std::optional<double> worst_output;
  bool unmodelled_l2 = false;
  bool estimated_l2 = false;
  bool replayed_l2 = false;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    measured = true;
    unmodelled_l2 = unmodelled_l2 || record.point.l2_mode == L2Mode::none;
    estimated_l2 = estimated_l2 || record.point.l2_mode == L2Mode::model;
    replayed_l2 = replayed_l2 || record.point.l2_mode == L2Mode::replay;
    if (const auto& error = record.measurement->max_error)
      worst_output = std::max(worst_output.value_or(0), *error);
  }
  if (!measured) return "No point was measured.\n";
  std::string text = error_table(records, color);
  text += "An error is predicted / measured - 1; p95: 95 % of them are no larger.\n";
  if (unmodelled_l2)
    text += "Predicted HBM bytes are the compulsory ones (--l2 none): an L2 without limits.\n";
  if (estimated_l2) text += "Predicted HBM bytes are an estimate of an L2's misses (--l2 model).\n";
  if (replayed_l2)
    text += "Predicted HBM bytes are the misses of a simulated L2 (--l2 replay), the median of placements.\n";
  text += spills(records);
  text += origins(records);
  if (worst_output) {
    text += fmt::format(" Outputs agree with a float64 reference to {:.1e} or better.", *worst_output);
  }
  return text + "\n";
}

std::string tolerance_report(std::span<const Record> records, const Tolerance& tolerance) {
  std::string text;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    const std::vector<std::string> found = violations(record, tolerance);
    if (!found.empty())
      text +=
          fmt::format("beyond the tolerance: {}: {}\n", describe_point(record.point), fmt::join(found, "; "));
  }
  return text;
}

}  // namespace hbmscope
