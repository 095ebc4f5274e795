#include "cli/error_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/byte_unit.h"
#include "cli/point_columns.h"
#include "cli/text_table.h"

namespace hbmscope {
namespace {

// What is summed up together.
struct Group {
  std::string algorithm;
  std::string variant;
  std::optional<L2Mode> l2_mode;  // absent: of every mode

  bool operator==(const Group&) const = default;
};

// In several modes of the L2, HBM bytes are predictions of different models; elsewhere they change nothing.
bool keeps_modes_apart(Boundary boundary, std::span<const Record> records) {
  std::optional<L2Mode> first;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    if (first && record.point.l2_mode != *first) return boundary == Boundary::hbm;
    first = record.point.l2_mode;
  }
  return false;
}

Group group_of(const Record& record, bool with_mode) {
  const Point& point = record.point;
  return {point.algorithm, point.variant, with_mode ? std::optional(point.l2_mode) : std::nullopt};
}

std::vector<Group> measured_groups(std::span<const Record> records, bool with_mode) {
  std::vector<Group> found;
  for (const Record& record : records) {
    if (!was_measured(record)) continue;
    Group own = group_of(record, with_mode);
    if (std::find(found.begin(), found.end(), own) == found.end()) found.push_back(std::move(own));
  }
  return found;
}

// `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

ErrorSummary summary_of(Boundary boundary, const Group& group, bool of_reads,
                        std::span<const Record> records) {
  ErrorSummary summary{.boundary = boundary,
                       .algorithm = group.algorithm,
                       .variant = group.variant,
                       .l2_mode = group.l2_mode,
                       .of_reads = of_reads};
  std::vector<double> sizes;
  double sum = 0;
  for (const Record& record : records) {
    if (!was_measured(record) || group_of(record, group.l2_mode.has_value()) != group) continue;
    const BoundaryBytes bytes = bytes_at(boundary, record);
    const std::optional<double>& error = of_reads ? bytes.read_error : bytes.write_error;
    if (!error) continue;
    if (sizes.empty() || std::abs(*error) > std::abs(summary.worst)) {
      summary.worst = *error;
      summary.worst_record = &record;
    }
    sizes.push_back(std::abs(*error));
    sum += sizes.back();
  }
  summary.count = sizes.size();
  if (sizes.empty()) return summary;
  std::sort(sizes.begin(), sizes.end());
  summary.mean = sum / static_cast<double>(sizes.size());
  summary.median = quantile(sizes, 0.5);
  summary.p95 = quantile(sizes, 0.95);
  return summary;
}

std::string size_text(double size) { return fmt::format("{:.2f}", size * 100); }

std::vector<Cell> numbers_of(const ErrorSummary& summary, const PointColumns& points) {
  if (summary.count == 0) return {{"0"}, {"-"}, {"-"}, {"-"}, {"-"}, {"not measured", Tone::dim}};
  std::string where = summary.worst == 0 ? "every one is exact" : points.text(*summary.worst_record);
  return {{fmt::format("{}", summary.count)}, {size_text(summary.mean)},     {size_text(summary.median)},
          {size_text(summary.p95)},           {percent_text(summary.worst)}, {std::move(where)}};
}

}  // namespace

bool was_measured(const Record& record) { return record.status == Status::ok && record.measurement; }

std::vector<ErrorSummary> error_summaries(std::span<const Record> records) {
  std::vector<ErrorSummary> summaries;
  for (const Boundary boundary : kBoundaries) {
    for (const Group& group : measured_groups(records, keeps_modes_apart(boundary, records))) {
      for (const bool of_reads : {true, false})
        summaries.push_back(summary_of(boundary, group, of_reads, records));
    }
  }
  return summaries;
}

std::string error_table(std::span<const Record> records, bool color) {
  const std::vector<ErrorSummary> summaries = error_summaries(records);
  const bool with_modes = std::any_of(summaries.begin(), summaries.end(), [](const ErrorSummary& summary) {
    return summary.l2_mode.has_value();
  });
  std::vector<Column> columns{
      {"", "bytes at", Align::left}, {"", "algorithm", Align::left}, {"", "variant", Align::left}};
  if (with_modes) columns.push_back({"", "L2 model", Align::left});
  columns.insert(columns.end(), {{"", "of", Align::left},
                                 {"", "errors"},
                                 {"|error|, %", "mean"},
                                 {"|error|, %", "median"},
                                 {"|error|, %", "p95"},
                                 {"worst error", "%"},
                                 {"worst error", "at", Align::left}});
  TextTable table(std::move(columns));
  const PointColumns points(records);
  for (const ErrorSummary& summary : summaries) {
    std::vector<Cell> cells{
        {std::string(to_string(summary.boundary))}, {summary.algorithm}, {summary.variant}};
    if (with_modes) cells.push_back({summary.l2_mode ? std::string(to_string(*summary.l2_mode)) : ""});
    cells.push_back({summary.of_reads ? "reads" : "writes"});
    for (Cell& cell : numbers_of(summary, points)) cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  }
  return table.text(color);
}

}  // namespace hbmscope
