#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/counter_source.h"
#include "sim/record.h"

namespace hbmscope {

// What the protocol does to a GPU. Both submit work and need not wait for it.
struct MeasuredProgram {
  std::function<void()> launches;  // all launches of the program, the same work each time it is called
  std::function<void()>
      clean_l2;  // read-only sweep: afterwards no line of the program is cached, and none is dirty
};

// The counters that fill a Measurement.
std::vector<Quantity> measurement_quantities();

struct ProtocolOptions {
  CacheState cache_state = CacheState::cold;
  int repeats = 3;
  std::vector<Quantity> quantities = measurement_quantities();
};

struct ProtocolResult {
  Measurement measurement;           // bytes only: medians over the repeats
  std::int64_t passes = 0;           // runs of the program under counters, all repeats together
  std::int64_t repeats = 0;          // that ran: a single one where no traffic counter is asked for
  std::optional<double> hbm_spread;  // of hbm_read over the repeats
  std::string note;                  // why counters are absent; empty if none is
};

inline constexpr const char* kProgramRange = "program";
inline constexpr const char* kDeferredRange = "deferred";

// For each repeat, and within it for each pass: clean L2; if warm, run the program once; range "program"
// around all launches; range "deferred" around another sweep, which writes back the lines that the program
// left dirty. Repeats after the first ask for the traffic counters only. Throws UserError for repeats < 1;
// exceptions of the program's callables pass through.
ProtocolResult measure_program(CounterSource& source, const MeasuredProgram& program,
                               const ProtocolOptions& options = {});

}  // namespace hbmscope
