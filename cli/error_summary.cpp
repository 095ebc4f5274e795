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

using Implementation = std::pair<std::string, std::string>;  // algorithm and variant

std::vector<Implementation> measured_implementations(std::span<const Record> records) {
  std::vector<Implementation> found;
  for (const Record& record : records) {
    Implementation own{record.point.algorithm, record.point.variant};
    if (!was_measured(record) || std::find(found.begin(), found.end(), own) != found.end()) continue;
    found.push_back(std::move(own));
  }
  return found;
}

// `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

ErrorSummary summary_of(Boundary boundary, const Implementation& implementation, bool of_reads,
                        std::span<const Record> records) {
  ErrorSummary summary{.boundary = boundary,
                       .algorithm = implementation.first,
                       .variant = implementation.second,
                       .of_reads = of_reads};
  std::vector<double> sizes;
  double sum = 0;
  for (const Record& record : records) {
    if (!was_measured(record) || record.point.algorithm != summary.algorithm ||
        record.point.variant != summary.variant)
      continue;
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
  const std::vector<Implementation> implementations = measured_implementations(records);
  for (const Boundary boundary : kBoundaries) {
    for (const Implementation& implementation : implementations) {
      for (const bool of_reads : {true, false})
        summaries.push_back(summary_of(boundary, implementation, of_reads, records));
    }
  }
  return summaries;
}

std::string error_table(std::span<const Record> records, bool color) {
  TextTable table({{"", "bytes at", Align::left},
                   {"", "algorithm", Align::left},
                   {"", "variant", Align::left},
                   {"", "of", Align::left},
                   {"", "errors"},
                   {"|error|, %", "mean"},
                   {"|error|, %", "median"},
                   {"|error|, %", "p95"},
                   {"worst error", "%"},
                   {"worst error", "at", Align::left}});
  const PointColumns points(records);
  for (const ErrorSummary& summary : error_summaries(records)) {
    std::vector<Cell> cells{{std::string(to_string(summary.boundary))},
                            {summary.algorithm},
                            {summary.variant},
                            {summary.of_reads ? "reads" : "writes"}};
    for (Cell& cell : numbers_of(summary, points)) cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
  }
  return table.text(color);
}

}  // namespace hbmscope
