#pragma once

#include <span>
#include <string>

#include "cli/tolerance.h"
#include "sim/record.h"

namespace hbmscope {

// What a terminal shows of predictions: one line for each point, bytes at every boundary, io and compulsory
// bytes, FLOPs, and the lower bound of the time.
std::string prediction_table(std::span<const Record> records, bool color);

// The launches of one prediction: CTAs, what each needs of an SM, how many reside, exponentials, and the
// lower bound of the time with the roof that gives it. Values of a launch that describes no kernel are "-".
std::string launch_table(const Record& record, bool color);

// Predicted beside measured bytes: for each point one line per boundary. Errors within the tolerance are
// green, beyond it red.
std::string validation_table(std::span<const Record> records, const Tolerance& tolerance, bool color);

}  // namespace hbmscope
