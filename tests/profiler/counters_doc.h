#pragma once

#include <span>
#include <string>
#include <vector>

#include "profiler/metrics.h"

namespace hbmscope {

// docs/counters.md, whole. Tests run in the repository's root.
std::string read_counters_doc();

// The rows of the document's tables of metrics and of passes, as the metric table has them.
std::vector<std::string> metric_rows();
// `passes` per column: l2_read + l2_write, traffic, local_read + local_write, pipes, patched.
std::string pass_row(const ChipFamily& family, std::span<const std::size_t> passes);

}  // namespace hbmscope
