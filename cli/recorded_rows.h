#pragma once

#include <span>
#include <vector>

#include "sim/embedded_file.h"
#include "sim/record.h"

namespace hbmscope {

// The CSV files of profiler/recorded/, as they were when this binary was built; defined by hbmscope_embed.
std::span<const EmbeddedFile> recorded_files();

// All their rows.
std::vector<Record> recorded_rows();

}  // namespace hbmscope
