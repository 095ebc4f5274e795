#include "cli/roof_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/hbm_text.h"
#include "cli/point_columns.h"

namespace hbmscope {
namespace {

constexpr std::size_t kShownStretches = 5;

// What is said of a roof when it limits: its kind, and one unit of what is asked of it.
struct RoofWords {
  std::string_view roof;
  std::string_view kind;
  std::string_view unit;
};
constexpr RoofWords kWords[] = {{"hbm", "memory-bound", "HBM byte"},
                                {"l2", "memory-bound at the L2", "L2 byte"},
                                {"sram", "memory-bound in shared memory", "shared-memory byte"},
                                {"tensor", "compute-bound", "FLOP"},
                                {"exp", "compute-bound by exponentials", "exponential"}};

const RoofWords* words_of(std::string_view roof) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const RoofWords& words) { return words.roof == roof; });
  return found == std::end(kWords) ? nullptr : found;
}

const RoofRow* row_of(const Record& record, std::string_view roof) {
  const auto found = std::find_if(record.roofs.begin(), record.roofs.end(),
                                  [&](const RoofRow& row) { return row.roof == roof; });
  return found == record.roofs.end() ? nullptr : &*found;
}

// Three digits, without an exponent.
std::string number(double value) {
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

// "sram, 0.193 ms (tensor 0.128, exp 0.128, l2 0.112, hbm 0.014)"; of several launches the limiter holds only
// for a part of the time.
std::string limiter_line(const Record& record) {
  const Prediction& prediction = *record.prediction;
  const bool several = record.launches.size() > 1;
  std::vector<RoofRow> rows = record.roofs;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RoofRow& a, const RoofRow& b) { return a.time_s > b.time_s; });
  std::vector<std::string> parts;
  for (const RoofRow& row : rows) {
    if (several || row.roof != prediction.limiter)
      parts.push_back(fmt::format("{} {}", row.roof, milliseconds(row.time_s)));
  }
  const RoofRow* limiter = row_of(record, prediction.limiter);
  const std::string holds =
      several && limiter != nullptr ? fmt::format("{} of ", milliseconds(limiter->binds_s)) : std::string();
  return fmt::format("{}, {}at least {} ms ({}{})", prediction.limiter, holds,
                     milliseconds(prediction.time_s), several ? "each roof alone: " : "",
                     fmt::join(parts, ", "));
}

// Executed FLOPs for each unit asked of a roof, and the ridge point: how many of them the tensor cores do in
// the time that the roof takes for one unit (Williams et al. 2009). Empty where a rate or a demand is
// missing.
std::string intensity(const RoofRow* row, const RoofRow* tensor, std::string_view unit) {
  if (row == nullptr || tensor == nullptr || row->demand == 0) return "";
  return fmt::format("{} FLOP per {}, ridge point {}",
                     number(static_cast<double>(tensor->demand) / static_cast<double>(row->demand)), unit,
                     number(tensor->rate_per_s / row->rate_per_s));
}

std::string why_line(const Record& record) {
  const std::string& limiter = record.prediction->limiter;
  const RoofWords* words = words_of(limiter);
  if (words == nullptr) return "";
  const RoofRow* tensor = row_of(record, "tensor");
  std::string text(words->kind);
  const std::string own =
      limiter == "hbm" || limiter == "tensor" ? "" : intensity(row_of(record, limiter), tensor, words->unit);
  const std::string hbm = intensity(row_of(record, "hbm"), tensor, "HBM byte");
  if (!own.empty()) text += ": " + own;
  if (!hbm.empty()) text += (own.empty() ? ": " : "; ") + hbm;
  return text;
}

// The roofs that the bound does not know of, so that a GPU whose rates nobody has published does not pass for
// a fast one.
std::string left_out_line(const Record& record) {
  std::vector<std::string_view> missing;
  for (const RoofWords& words : kWords) {
    if (row_of(record, words.roof) == nullptr) missing.push_back(words.roof);
  }
  if (missing.empty()) return "";
  return fmt::format("left out: {} (the rate, or what is asked of it, is not known)\n",
                     fmt::join(missing, ", "));
}

// Where the tensors lie decides which sets of the L2 overflow.
std::string band_line(const Prediction& prediction) {
  if (!prediction.hbm_read_bytes_p05) return "";
  return fmt::format("hbm read: 90 % of placements of the tensors between {:.3f} and {:.3f} GB\n",
                     static_cast<double>(*prediction.hbm_read_bytes_p05) / 1e9,
                     static_cast<double>(*prediction.hbm_read_bytes_p95) / 1e9);
}

// Ends are values that were tried, so nothing is said of what lies between two of them.
std::string stretch_text(const std::vector<LimiterStretch>& stretches, std::size_t i) {
  const LimiterStretch& stretch = stretches[i];
  if (i == 0) return fmt::format("{} <= {}", stretch.limiter, stretch.last);
  if (i + 1 == stretches.size()) return fmt::format("{} >= {}", stretch.limiter, stretch.first);
  if (stretch.first == stretch.last) return fmt::format("{} {}", stretch.limiter, stretch.first);
  return fmt::format("{} {}..{}", stretch.limiter, stretch.first, stretch.last);
}

// "hbm <= 256; l2 320..1024; sram >= 1088"; of many stretches the first few and the last.
std::string stretches_text(const std::vector<LimiterStretch>& stretches) {
  if (stretches.empty()) return "-";
  if (stretches.size() == 1) return fmt::format("never: {}", stretches[0].limiter);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches.size() > kShownStretches && i == kShownStretches - 1) {
      parts.push_back(fmt::format("... {} more in JSON ...", stretches.size() - kShownStretches));
      i = stretches.size() - 1;
    }
    parts.push_back(stretch_text(stretches, i));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string crossover_table(const Record& record, bool color) {
  const char* counted = record.feasible.value_or(false) ? "feasible" : "comparable";
  TextTable table(
      {{"", "limiter along", Align::left}, {"", "tried"}, {"", counted}, {"", "changes hands", Align::left}});
  for (const CrossoverRow& row : record.crossovers) {
    table.add_row({{fmt::format("--{}", row.axis)},
                   {fmt::format("{}..{}+{}", row.first, row.last, row.step)},
                   {fmt::format("{}", row.counted)},
                   {stretches_text(row.stretches)}});
  }
  return table.text(color);
}

}  // namespace

std::string roof_text(std::span<const Record> records, bool color) {
  const PointColumns points(records);
  std::string text;
  for (const Record& record : records) {
    if (!record.prediction || record.roofs.empty()) continue;
    const std::string name = points.text(record);
    text += "\n";
    if (!name.empty()) text += toned(name, Tone::strong, color) + "\n";
    text += fmt::format("limiter: {}\nwhy: {}\n", limiter_line(record), why_line(record));
    text += left_out_line(record);
    text += band_line(*record.prediction);
    text += hbm_text(record);
    if (!record.crossovers.empty()) text += crossover_table(record, color);
  }
  if (text.empty()) return text;
  return text +
         "\nTimes are lower bounds. Every value tried was predicted with all else as in the point (HBM bytes "
         "of a replay are estimated); those count that compare with it.\n";
}

}  // namespace hbmscope
