#pragma once

#include <span>

#include "sim/embedded_file.h"

namespace hbmscope {

// The page's template, style, script and the licences of what the script contains; defined by hbmscope_embed.
std::span<const EmbeddedFile> page_files();

}  // namespace hbmscope
