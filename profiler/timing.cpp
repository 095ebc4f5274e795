#include "profiler/timing.h"

#include <string>

#include "kernels/cuda/device.h"
#include "profiler/statistics.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

double time_once(const MeasuredProgram& program, CacheState cache_state, Event& begin, Event& end) {
  program.clean_l2();
  if (cache_state == CacheState::warm) program.launches();
  begin.record();
  program.launches();
  end.record();
  end.synchronize();
  return end.seconds_since(begin);
}

}  // namespace

Timing time_program(const MeasuredProgram& program, CacheState cache_state, int repeats) {
  if (repeats < 1) throw UserError("repeats", std::to_string(repeats), "1 or more");
  Event begin;
  Event end;
  time_once(program, cache_state, begin, end);
  Timing timing;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    timing.samples_s.push_back(time_once(program, cache_state, begin, end));
  }
  timing.median_s = *median(timing.samples_s);
  timing.spread = spread(timing.samples_s);
  return timing;
}

}  // namespace hbmscope
