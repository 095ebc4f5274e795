#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/record.h"

namespace hbmscope {

// CSV after RFC 4180 with LF line ends: one header row, then one row per record; the columns are
// record_fields(). An empty cell is an absent value; bytes are integers, booleans 0 or 1, reals the shortest
// text that gives the same double back. A real that is not finite (the max_error of a kernel that made NaNs)
// is absent; the row's status and reason say why. Traffic is in JSON only.
std::string csv_header();
void append_csv_row(std::string& text, const Record& record);
std::string write_csv(const std::vector<Record>& records);

// Reads what write_csv made, of this schema version or an older one; `origin` names the file in errors.
// Columns may stand in any order; those that are not required may be missing. Derived ones are computed anew.
// Throws UserError naming file:line, column, value and what is accepted.
std::vector<Record> read_csv(std::string_view text, std::string_view origin);

}  // namespace hbmscope
