#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/embedded_file.h"
#include "sim/record.h"

namespace hbmscope {

// The CSV files of profiler/recorded/, as they were when this binary was built; defined by hbmscope_embed.
std::span<const EmbeddedFile> recorded_files();

// All their rows.
std::vector<Record> recorded_rows();

// configs/sweeps/recorded.txt, the plan of that run; defined by hbmscope_embed.
std::span<const EmbeddedFile> recorded_plan_files();

// Its lines without comments: each is the point options of one run of validate.
std::vector<std::string_view> recorded_plan();

}  // namespace hbmscope
