#pragma once

#include <span>
#include <string>

#include "sim/record.h"

namespace hbmscope {

// Of more points than these (the help and docs/cli.md name the number) the text would be longer than anybody
// reads.
inline constexpr std::size_t kFewPoints = 4;

// Why a point's io, compulsory and HBM bytes differ, a line for each reason; empty where it has none.
std::string hbm_text(const Record& record);

// The same for each of a few records that were measured, under its name; empty for more.
std::string measured_hbm_text(std::span<const Record> records, bool color);

}  // namespace hbmscope
