#pragma once

#include <span>
#include <string>

#include "cli/tolerance.h"
#include "sim/record.h"

namespace hbmscope {

// How far predictions are from measurements: for each algorithm the worst and the mean error at each boundary
// (reads and writes alike), then where the measured values come from. Says "no point was measured" if so.
std::string verdict(std::span<const Record> records);

// The points that break the tolerance, with why; empty if all hold it.
std::string tolerance_report(std::span<const Record> records, const Tolerance& tolerance);

}  // namespace hbmscope
