#pragma once

#include <string>
#include <vector>

#include "sim/l2/hbm_reasons.h"

namespace hbmscope {

// What a launch reads more than once, and what it reads of what launches before it read or wrote: how often,
// how many heads are live at once, and what they need against what the L2 has. Up to two sentences.
std::vector<std::string> launch_reasons(const ReasonedProgram& of, int launch);

}  // namespace hbmscope
