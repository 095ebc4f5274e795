#include "cli/calibration_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "cli/text_table.h"
#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

std::string text_of(const std::optional<SourcedValue>& value, double unit = 1) {
  return value ? fmt::format("{:.4g}", value->value / unit) : "-";
}

std::string runs_text(const std::vector<SmRun>& runs) {
  std::vector<std::string> words;
  for (const SmRun& run : runs) words.push_back(fmt::format("{}{}", run.sms, run.side == 0 ? "A" : "B"));
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
}

// The same number of two descriptions, under its unit.
void add_rate(TextTable& table, const char* what, const std::optional<SourcedValue>& before,
              const std::optional<SourcedValue>& now, double unit = 1) {
  table.add_row({{what}, {text_of(now, unit)}, {text_of(before, unit)}});
}

// What rows of memory say, and how close they come to rings.
std::string rows_text(const Findings& findings, const CacheLevel& l2) {
  const std::optional<Bytes> reached = findings.reached_bytes();
  if (!reached) return "";
  const MemoryRows& rows = *findings.rows;
  std::string text =
      fmt::format("{} rows of {} KiB meet every set of a side once: addresses reach {:.2f} of {:.2f} MiB\n",
                  rows.classes, rows.row_pages * static_cast<int>(kPageBytes / kKiB),
                  static_cast<double>(*reached) / static_cast<double>(kMiB),
                  l2.capacity_bytes.value / static_cast<double>(kMiB));
  text += fmt::format("runs of {} rows, swapped by each bit of their number: {}\n", kRowsOfRun,
                      fmt::join(rows.swaps, " "));
  double sum = 0;
  double most = 0;
  for (const Ring& ring : findings.rings) {
    const double said =
        overflowing_share(rows, ring.first_page, ring.bytes, *findings.ways / findings.sides());
    sum += std::abs(said - ring.missing);
    most = std::max(most, std::abs(said - ring.missing));
  }
  if (!findings.rings.empty()) {
    text += fmt::format(
        "{} rings in that memory: rows say the share that misses to {:.1f} % of the ring, at worst {:.1f} "
        "%\n",
        findings.rings.size(), 100 * sum / static_cast<double>(findings.rings.size()), 100 * most);
  }
  return text;
}

std::string found_table(const GpuSpec& before, const CalibrationOutcome& outcome, const GpuSpec& gpu,
                        bool color) {
  TextTable table({{"", "what", Align::left}, {"", "now"}, {"", "was"}});
  const CacheLevel& l2 = gpu.l2();
  const CacheLevel& l2_before = before.l2();
  const auto add_text = [&](const char* what, const std::string& now, const std::string& was) {
    table.add_row({{what}, {now}, {was}});
  };
  add_text("L2 sides", fmt::format("{}", l2.instances), fmt::format("{}", l2_before.instances));
  add_text("L2 copies of a line", fmt::format("{}", l2.copies), fmt::format("{}", l2_before.copies));
  add_text("L2 homes", l2.home_rule, l2_before.home_rule);
  add_rate(table, "L2 ways", l2_before.ways, l2.ways);
  const auto known = [](const std::string& word) { return word.empty() ? std::string("-") : word; };
  add_text("L2 replacement", known(l2.replacement), known(l2_before.replacement));
  add_rate(table, "L2 stretch, KiB", l2_before.stretch_bytes, l2.stretch_bytes, static_cast<double>(kKiB));
  add_rate(table, "L2 dirty share", l2_before.dirty_share, l2.dirty_share);
  add_text("SMs and sides", runs_text(gpu.sm_runs), runs_text(before.sm_runs));
  add_rate(table, "younger CTA's rate", before.younger_cta_rate, gpu.younger_cta_rate);
  add_rate(table, "lone CTA's rate", before.lone_cta_rate, gpu.lone_cta_rate);
  add_rate(table, "HBM read, TB/s", before.hbm_bytes_per_s, gpu.hbm_bytes_per_s_measured, 1e12);
  add_rate(table, "HBM copy, TB/s", before.hbm_bytes_per_s, gpu.measured.hbm_copy_bytes_per_s, 1e12);
  add_rate(table, "L2 read, TB/s", before.l2_bytes_per_s, gpu.l2_bytes_per_s, 1e12);
  add_rate(table, "shared memory, B/clock/SM", before.sram_bytes_per_clock_per_sm,
           gpu.measured.sram_bytes_per_clock_per_sm);
  add_rate(table, "bf16 mma, FLOP/clock/SM", before.tensor_flops_bf16,
           gpu.measured.tensor_flops_per_clock_per_sm_bf16);
  add_rate(table, "fp16 mma, FLOP/clock/SM", before.tensor_flops_fp16,
           gpu.measured.tensor_flops_per_clock_per_sm_fp16);
  add_rate(table, "exponentials/clock/SM", before.exp_per_clock_per_sm, gpu.measured.exp_per_clock_per_sm);
  add_rate(table, "L2 latency, clocks", std::nullopt, gpu.measured.l2_latency_clocks);
  add_rate(table, "HBM latency, clocks", std::nullopt, gpu.measured.hbm_latency_clocks);
  add_rate(table, "launch, ns", std::nullopt, gpu.measured.launch_ns);
  add_rate(table, "start skew, ns", std::nullopt, gpu.measured.cta_start_skew_ns);
  std::string text = table.text(color);
  const Findings& findings = outcome.findings;
  if (findings.sets_of_side) text += fmt::format("sets of a side: about {:.0f}\n", *findings.sets_of_side);
  text += rows_text(findings, l2);
  if (findings.dirty_ways)
    text += fmt::format("lines of a set that may be dirty: {}\n", *findings.dirty_ways);
  if (findings.knee_bytes) {
    text += fmt::format(
        "rings read by all SMs miss half of their lines from {:.1f} MiB on; capacity / copies is {:.1f}\n",
        *findings.knee_bytes / static_cast<double>(kMiB),
        l2.capacity_bytes.value / static_cast<double>(l2.copies) / static_cast<double>(kMiB));
  }
  return text;
}

std::string range_text(const PatternBytes& bytes) {
  return fmt::format("{:.1f} .. {:.1f}", bytes.least / 1e6, bytes.most / 1e6);
}

std::string patterns_table(const std::vector<PatternRow>& rows, bool color) {
  TextTable table({{"", "pattern", Align::left},
                   {"", "MiB"},
                   {"counted, MB", "median"},
                   {"counted, MB", "placements"},
                   {"replayed, MB", "median"},
                   {"replayed, MB", "placements"},
                   {"", "error %"}});
  int reproduced = 0;
  for (const PatternRow& row : rows) {
    const bool good = row.is_reproduced();
    reproduced += good ? 1 : 0;
    table.add_row({{row.pattern.name},
                   {fmt::format("{}", row.pattern.bytes / kMiB)},
                   {fmt::format("{:.1f}", row.counted.median / 1e6)},
                   {range_text(row.counted)},
                   {fmt::format("{:.1f}", row.replayed.median / 1e6)},
                   {range_text(row.replayed)},
                   {row.counted.median > 0 ? fmt::format("{:+.1f}", 100 * row.error()) : "-",
                    good ? Tone::plain : Tone::bad}});
  }
  return table.text(color) +
         fmt::format(
             "{} of {} patterns are reproduced: placements overlap, or medians are within 5 % or 1 MB\n",
             reproduced, rows.size());
}

}  // namespace

std::string calibration_text(const CalibrationOutcome& outcome, const CalibratedGpu& calibrated, bool color) {
  const GpuSpec& gpu = calibrated.gpu;
  std::string text = found_table(outcome.described ? *outcome.described : gpu, outcome, gpu, color);
  if (!outcome.findings.patterns.empty()) {
    text += '\n';
    text += patterns_table(outcome.findings.patterns, color);
  }
  const std::vector<std::string_view> assumed = assumed_values(gpu);
  if (!assumed.empty()) text += fmt::format("\nstill as on the H200: {}\n", fmt::join(assumed, ", "));
  for (const std::string& refused : calibrated.refused) text += fmt::format("not written: {}\n", refused);
  for (const std::string& failure : outcome.failures) text += fmt::format("failed: {}\n", failure);
  return text;
}

std::string pattern_csv_header() {
  return "pattern,buffer_bytes,counted_least,counted_median,counted_most,written_later,replayed_least,"
         "replayed_median,replayed_most";
}

std::string pattern_csv_row(const PatternRow& row) {
  return fmt::format("\"{}\",{},{:.0f},{:.0f},{:.0f},{},{:.0f},{:.0f},{:.0f}", row.pattern.name,
                     row.pattern.bytes, row.counted.least, row.counted.median, row.counted.most,
                     row.written_later ? fmt::format("{:.0f}", *row.written_later) : "", row.replayed.least,
                     row.replayed.median, row.replayed.most);
}

}  // namespace hbmscope
