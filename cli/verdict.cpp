#include "cli/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "cli/point_columns.h"

namespace hbmscope {
namespace {

// A failed point may hold a measurement too, but of a kernel that computes something else.
bool was_measured(const Record& record) { return record.status == Status::ok && record.measurement; }

// The sizes of some errors.
struct ErrorSummary {
  double worst = 0;  // with its sign
  double sum = 0;    // of magnitudes
  std::size_t count = 0;

  void add(const std::optional<double>& error) {
    if (!error) return;
    if (std::abs(*error) > std::abs(worst)) worst = *error;
    sum += std::abs(*error);
    ++count;
  }
};

std::string summary_of(Boundary boundary, const ErrorSummary& summary) {
  if (summary.count == 0) return fmt::format("{} not measured", to_string(boundary));
  return fmt::format("{} {:+.2f} % at worst ({:.2f} % on average)", to_string(boundary), summary.worst * 100,
                     summary.sum / static_cast<double>(summary.count) * 100);
}

std::string algorithm_line(const std::string& name, std::span<const Record> records) {
  std::vector<std::string> parts;
  for (const Boundary boundary : {Boundary::l2, Boundary::sram, Boundary::hbm}) {
    ErrorSummary summary;
    for (const Record& record : records) {
      if (record.point.algorithm != name || !was_measured(record)) continue;
      const BoundaryBytes bytes = bytes_at(boundary, record);
      summary.add(bytes.read_error);
      summary.add(bytes.write_error);
    }
    parts.push_back(summary_of(boundary, summary));
  }
  return fmt::format("{}: predicted against measured bytes: {}.\n", name, fmt::join(parts, ", "));
}

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

std::string verdict(std::span<const Record> records) {
  std::set<std::string> measured;
  std::optional<double> worst_output;
  bool unmodelled_l2 = false;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    measured.insert(record.point.algorithm);
    unmodelled_l2 = unmodelled_l2 || record.point.l2_mode == L2Mode::none;
    if (const auto& error = record.measurement->max_error)
      worst_output = std::max(worst_output.value_or(0), *error);
  }
  if (measured.empty()) return "No point was measured.\n";
  std::string text;
  for (const std::string& name : measured) text += algorithm_line(name, records);
  if (unmodelled_l2)
    text += "Predicted HBM bytes are the compulsory ones (--l2 none): an L2 without limits.\n";
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
