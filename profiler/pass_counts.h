#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/metrics.h"

namespace hbmscope {

struct PassCount {
  std::optional<std::size_t> passes;
  std::string reason;  // why passes is absent
};

// How often a program must run on `chip` to read all of `quantities` (which must be of one set); those that
// the chip lacks are left out. Asks the installed CUPTI, which needs no GPU; pass_counts_absent.cpp answers
// in a build without a toolkit or with AddressSanitizer.
PassCount count_passes(std::span<const Quantity> quantities, std::string_view chip);

}  // namespace hbmscope
