#include "cli/record_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/byte_unit.h"
#include "cli/point_columns.h"

namespace hbmscope {
namespace {

std::uint64_t largest_count(std::span<const Record> records) {
  std::uint64_t largest = 0;
  for (const Record& record : records) {
    if (!record.prediction) continue;
    for (const Boundary boundary : {Boundary::hbm, Boundary::l2}) {
      const BoundaryBytes bytes = bytes_at(boundary, record);
      largest = std::max({largest, bytes.predicted_read.value_or(0), bytes.predicted_write.value_or(0)});
    }
  }
  return largest;
}

std::string heading(const PointColumns& point, bool color) {
  return point.caption().empty() ? "" : toned(point.caption(), Tone::dim, color) + "\n\n";
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

// Reasons below the table, each once, with the number of points it holds for.
std::string reasons(std::span<const Record> records, bool color) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const Record& record : records) {
    if (record.reason.empty()) continue;
    const std::string what = record.status != Status::ok            ? std::string(to_string(record.status))
                             : record.feasible && !*record.feasible ? "infeasible"
                                                                    : "note";
    ++counts[{what, record.reason}];
  }
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += fmt::format("{} ({} point{}): {}\n",
                        toned(reason.first, reason.first == "failed" ? Tone::bad : Tone::strong, color),
                        count, count == 1 ? "" : "s", reason.second);
  }
  return text.empty() ? "" : "\n" + text;
}

void append(std::vector<Column>& columns, const std::vector<Column>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

Cell feasible_cell(const std::optional<bool>& feasible) {
  if (!feasible) return {"-"};
  return *feasible ? Cell{"yes"} : Cell{"no", Tone::bad};
}

std::vector<Cell> prediction_cells(const Record& record, const ByteUnit& unit) {
  const Prediction& predicted = *record.prediction;
  return {{unit.text(predicted.hbm_read_bytes)},
          {unit.text(predicted.hbm_write_bytes)},
          {unit.text(predicted.l2_read_bytes)},
          {unit.text(predicted.l2_write_bytes)},
          {unit.text(predicted.sram_read_bytes)},
          {unit.text(predicted.sram_write_bytes)},
          {unit.text(predicted.io_bytes)},
          {unit.text(predicted.compulsory_bytes)},
          {fmt::format("{:.3f}", static_cast<double>(predicted.flops) / 1e12)},
          {milliseconds(predicted.time_s)},
          {predicted.limiter},
          feasible_cell(record.feasible)};
}

struct ErrorCell {
  const std::optional<double>& error;
  const std::optional<double>& limit;

  operator Cell() const {
    Tone tone = Tone::plain;
    if (error && limit) tone = std::abs(*error) <= *limit ? Tone::good : Tone::bad;
    return {percent_text(error), tone};
  }
};

// What stands once for each point: beside its first boundary.
std::vector<Cell> point_totals(const Record& record, const ByteUnit& unit, bool first) {
  if (!first || !record.prediction) return {{}, {}, {}, {}};
  const Prediction& predicted = *record.prediction;
  std::string measured = "-";
  if (record.measurement && record.measurement->time_s) measured = milliseconds(*record.measurement->time_s);
  return {{unit.text(predicted.io_bytes)},
          {unit.text(predicted.compulsory_bytes)},
          {milliseconds(predicted.time_s)},
          {std::move(measured)}};
}

void add_boundary_row(TextTable& table, std::vector<Cell> cells, const Record& record, Boundary boundary,
                      const ByteUnit& unit, const Tolerance& tolerance) {
  const BoundaryBytes bytes = bytes_at(boundary, record);
  const std::optional<double>& limit = tolerance.at(boundary);
  cells.push_back({std::string(to_string(boundary))});
  cells.push_back({unit.text(bytes.predicted_read)});
  cells.push_back({unit.text(bytes.measured_read)});
  cells.push_back(ErrorCell{bytes.read_error, limit});
  cells.push_back({unit.text(bytes.predicted_write)});
  cells.push_back({unit.text(bytes.measured_write)});
  cells.push_back(ErrorCell{bytes.write_error, limit});
  for (Cell& cell : point_totals(record, unit, boundary == Boundary::hbm)) cells.push_back(std::move(cell));
  table.add_row(std::move(cells));
}

}  // namespace

std::string prediction_table(std::span<const Record> records, bool color) {
  const ByteUnit unit = unit_for(largest_count(records));
  const std::string bytes = unit.name;
  const PointColumns point(records);
  std::vector<Column> columns = point.columns();
  append(columns, {{"HBM, " + bytes, "read"},
                   {"HBM, " + bytes, "write"},
                   {"L2, " + bytes, "read"},
                   {"L2, " + bytes, "write"},
                   {"SRAM, " + bytes, "read"},
                   {"SRAM, " + bytes, "write"},
                   {"read + write, " + bytes, "io"},
                   {"read + write, " + bytes, "compulsory"},
                   {"", "TFLOP"},
                   {"at least", "ms"},
                   {"", "limiter", Align::left},
                   {"", "feasible", Align::left}});
  const std::size_t width = columns.size();
  TextTable table(std::move(columns));
  for (const Record& record : records) {
    std::vector<Cell> cells = point.cells(record);
    if (record.prediction) {
      for (Cell& cell : prediction_cells(record, unit)) cells.push_back(std::move(cell));
    }
    cells.resize(width, {"-"});
    table.add_row(std::move(cells));
  }
  return heading(point, color) + table.text(color) + reasons(records, color);
}

std::string launch_table(const Record& record, bool color) {
  const auto count = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("-"); };
  TextTable table({{"", "launch", Align::left},
                   {"", "CTAs"},
                   {"per CTA", "threads"},
                   {"per CTA", "shared KiB"},
                   {"CTAs per SM", "at once"},
                   {"CTAs per SM", "limited by", Align::left},
                   {"", "waves"},
                   {"", "exponentials"},
                   {"at least", "ms"},
                   {"", "limiter", Align::left}});
  for (const LaunchRow& row : record.launches) {
    table.add_row(
        {{row.launch},
         {count(row.ctas)},
         {count(row.threads)},
         {row.shared_bytes ? fmt::format("{:.1f}", static_cast<double>(*row.shared_bytes) / 1024) : "-"},
         {count(row.ctas_per_sm)},
         {row.limited_by.value_or("-")},
         {row.waves ? fmt::format("{:.2f}", *row.waves) : "-"},
         {fmt::format("{}", row.exponentials)},
         {row.time_s ? milliseconds(*row.time_s) : "-"},
         {row.limiter.value_or("-")}});
  }
  return table.text(color);
}

std::string validation_table(std::span<const Record> records, const Tolerance& tolerance, bool color) {
  const ByteUnit unit = unit_for(largest_count(records));
  const std::string bytes = unit.name;
  const PointColumns point(records);
  std::vector<Column> columns = point.columns();
  append(columns, {{"", "bytes at", Align::left},
                   {"read, " + bytes, "predicted"},
                   {"read, " + bytes, "measured"},
                   {"read, " + bytes, "error %"},
                   {"write, " + bytes, "predicted"},
                   {"write, " + bytes, "measured"},
                   {"write, " + bytes, "error %"},
                   {"read + write, " + bytes, "io"},
                   {"read + write, " + bytes, "compulsory"},
                   {"time, ms", "at least"},
                   {"time, ms", "measured"}});
  TextTable table(std::move(columns));
  for (const Record& record : records) {
    std::vector<Cell> cells = point.cells(record);
    if (record.status != Status::ok && !record.measurement) {
      const Tone tone = record.status == Status::failed ? Tone::bad : Tone::dim;
      cells.push_back({std::string(to_string(record.status)), tone});
      cells.resize(cells.size() + 10);
      table.add_row(std::move(cells));
      continue;
    }
    for (const Boundary boundary : kBoundaries) {
      add_boundary_row(table, cells, record, boundary, unit, tolerance);
      for (Cell& cell : cells) cell.text.clear();
    }
  }
  return heading(point, color) + table.text(color) + reasons(records, color);
}

}  // namespace hbmscope
