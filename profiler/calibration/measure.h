#pragma once

#include <string>

#include "profiler/calibration/findings.h"
#include "profiler/calibration/probe.h"

namespace hbmscope {

// What every measurement works with. Each writes its raw numbers into files of `evidence` (empty: nowhere),
// notes in `findings` what they say, and throws std::runtime_error if they say nothing sensible.
struct Calibration {
  Probe& probe;
  std::string evidence;
  DriverFacts facts;
  GpuSpec described;  // for the sizes that are worth a look, and to compare with
  Findings findings;

  int side_b() const;  // an SM that is not on SM 0's side; throws std::runtime_error if there is none
};

// latencies.csv, sm_sides.csv: the cycles of each place, and on which side each SM is.
void measure_sides(Calibration& calibration);
// homes.csv: on which side lines are homed, as a function of their address. Needs sides.
void measure_homes(Calibration& calibration);
// states.csv: where lines are after reads and writes by SMs of either side. Needs sides.
void measure_states(Calibration& calibration);
// sets.csv, replacement.csv: ways, sets, and which line a set gives up. Needs sides.
void measure_sets(Calibration& calibration);
// rows.csv, rings.csv: how memory meets the sets. Needs homes and sets.
void measure_rows(Calibration& calibration);
// set_uses.csv: how many lines of a set may be dirty, and what it gives up meanwhile. Needs sides.
void measure_set_writes(Calibration& calibration);
// sm_order.csv: which SMs the CTAs of a launch come to. Needs sides.
void measure_sm_order(Calibration& calibration);
// rates.csv: HBM, L2, shared memory, tensor cores, exponentials, launches.
void measure_rates(Calibration& calibration);
// cta_trace.csv, cta_rates.csv: how the CTAs of an SM share it.
void measure_cta_rates(Calibration& calibration);
// patterns.csv: what DRAM is asked for by the micro-patterns, by counters. The replay's side of them is
// filled in later, with what all measurements found.
void measure_patterns(Calibration& calibration);

}  // namespace hbmscope
