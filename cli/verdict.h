#pragma once

#include <span>
#include <string>

#include "cli/tolerance.h"
#include "sim/record.h"

namespace hbmscope {

// How far predictions are from measurements: the spread of the errors at each boundary, then where the
// measured values come from. Says "no point was measured" if so.
std::string verdict(std::span<const Record> records, bool color);

// The points that break the tolerance, with why; empty if all hold it.
std::string tolerance_report(std::span<const Record> records, const Tolerance& tolerance);

}  // namespace hbmscope
