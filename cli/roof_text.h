#pragma once

#include <span>
#include <string>

#include "sim/record.h"

namespace hbmscope {

// For each record with roofs: which one limits it and how long every one takes, why in words, and where the
// limiter changes hands along each size.
std::string roof_text(std::span<const Record> records, bool color);

}  // namespace hbmscope
