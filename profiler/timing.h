#pragma once

#include <optional>
#include <vector>

#include "profiler/protocol.h"

namespace hbmscope {

// A program's time without counters.
struct Timing {
  double median_s = 0;
  std::optional<double> spread;   // (max - min) / median
  std::vector<double> samples_s;  // in the order measured
};

// CUDA events around all launches of the program, once per repeat. The L2 is cleaned by the same sweep before
// every repeat (and, if warm, the program is run once after it), so that time and bytes belong to the same
// state. The sweep is still running while the launches are submitted, so submission is not timed. One run
// that is not timed comes first. Throws UserError for repeats < 1.
Timing time_program(const MeasuredProgram& program, CacheState cache_state = CacheState::cold,
                    int repeats = 10);

}  // namespace hbmscope
