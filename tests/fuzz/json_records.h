#pragma once

#include <string>

#include "reports/json_reader.h"

namespace hbmscope::fuzz {

// As JSON Lines, with the run's configuration if it has one.
std::string jsonl_of(const RunRecords& read);

// What was read of JSON or JSONL is the same when written as either and read again, and can be a CSV file.
void check_written(const RunRecords& read);

}  // namespace hbmscope::fuzz
