#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "reports/field_value.h"
#include "sim/error.h"
#include "sim/record.h"

namespace hbmscope {

// The message of the UserError that `action` throws; one line, or the test fails.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return error.what();
  }
  return "no error";
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Names of the fields whose written values differ; what JSON alone has too if asked for.
inline std::vector<std::string> differences(const Record& a, const Record& b, bool with_rows) {
  std::vector<std::string> names;
  for (const Field& field : record_fields()) {
    if (written_value(field, a) != written_value(field, b)) names.emplace_back(field.csv_name);
  }
  if (with_rows && a.traffic != b.traffic) names.emplace_back("traffic");
  if (with_rows && a.launches != b.launches) names.emplace_back("launches");
  if (with_rows && a.roofs != b.roofs) names.emplace_back("roofs");
  if (with_rows && a.crossovers != b.crossovers) names.emplace_back("crossovers");
  if (with_rows && a.hbm_reasons != b.hbm_reasons) names.emplace_back("hbm_reasons");
  if (with_rows && a.timeline != b.timeline) names.emplace_back("timeline");
  return names;
}

// A point that was predicted and measured, with numbers that are easy to find in a text.
inline Record sample_record() {
  Record record;
  record.point = {.gpu = "h200", .algorithm = "flash2", .variant = "mma"};
  record.kernel_hash = "0123456789abcdef";
  record.feasible = true;
  record.prediction = Prediction{.hbm_read_bytes = 1000,
                                 .hbm_write_bytes = 500,
                                 .hbm_read_bytes_p05 = 900,
                                 .hbm_read_bytes_p95 = 1100,
                                 .hbm_write_bytes_p05 = 450,
                                 .hbm_write_bytes_p95 = 550,
                                 .l2_read_bytes = 18446744073709551615U,
                                 .l2_write_bytes = 500,
                                 .sram_read_bytes = 7000,
                                 .io_bytes = 9500,
                                 .compulsory_bytes = 1500,
                                 .footprint_bytes = 1600,
                                 .flops = 123456,
                                 .executed_flops = 123457,
                                 .time_s = 1e-5,
                                 .limiter = "tensor"};
  record.measurement = Measurement{.hbm_read_bytes = 800,
                                   .hbm_write_bytes = 300,
                                   .hbm_deferred_write_bytes = 200,
                                   .l2_read_bytes = 18446744073709551614U,
                                   .time_s = 2e-5,
                                   .max_error = 0.001};
  record.provenance.source = "live";
  record.provenance.gpu = "NVIDIA H200";
  record.provenance.note = "sram: \"not read\", no permission";
  record.launches = {{.launch = "forward",
                      .kernel = "flash2_mma",
                      .ctas = 32,
                      .threads = 256,
                      .shared_bytes = 0,
                      .ctas_per_sm = 0,
                      .limited_by = "threads",
                      .flops = 7,
                      .executed_flops = 8,
                      .exponentials = 9},
                     {.launch = "combine", .flops = 1, .executed_flops = 2}};
  record.traffic = {
      {.launch = "forward", .tensor = "Q", .read_bytes = 400, .io_read_bytes = 450, .io_write_bytes = 0}};
  return record;
}

}  // namespace hbmscope
