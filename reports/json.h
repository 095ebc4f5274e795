#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/configuration.h"
#include "reports/run_info.h"
#include "sim/gpu.h"
#include "sim/record.h"

namespace hbmscope {

// One document: {"schema_version", "provenance": {…}, "gpus": […], "records": […]}, one record a line. Keys
// are those of record_fields() within an object per group; absent values and groups are left out, as are
// "launches" and "traffic" where a record has no such rows. Byte counts are exact integers up to 2^64 - 1:
// readers that keep numbers as doubles round beyond 2^53.
std::string write_json(const RunInfo& run, std::span<const GpuSpec> gpus, const std::vector<Record>& records);

// JSON Lines: a first line {"schema_version", "provenance"}, with "configuration" if there is one, then a
// record a line, as in the document.
std::string jsonl_header(const RunInfo& run, const Configuration& configuration = {});
void append_jsonl_row(std::string& text, const Record& record);

}  // namespace hbmscope
