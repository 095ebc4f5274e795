#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/device.h"
#include "profiler/counter_source.h"
#include "profiler/cupti_host.h"

namespace hbmscope {

struct RangeValues {
  std::vector<std::vector<double>> values;  // [range][metric] as in Replay::ranges and MetricPlan::metrics()
  int passes = 0;
};

// CUPTI's range profiler on one context: user ranges, user replay. While it lives, no other profiling session
// can run on the GPU.
//
// One measurement:  set config, then { start, prepare, (push, body, pop) per range, stop } until all passes
// are submitted, then decode and evaluate. Work is waited for before each push and pop, so that a range holds
// its body and nothing else.
class CuptiRangeSession {
 public:
  // Throws UserError with the cure if this GPU's counters cannot be used. `device` must outlive the session.
  explicit CuptiRangeSession(const Device& device);
  ~CuptiRangeSession();
  CuptiRangeSession(const CuptiRangeSession&) = delete;
  CuptiRangeSession& operator=(const CuptiRangeSession&) = delete;

  const CuptiHost& host() const;
  // Runs the replay as often as CUPTI asks for. Throws CuptiError; what the replay's callables throw passes
  // through, with the session still usable.
  RangeValues measure(const MetricPlan& plan, const Replay& replay);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hbmscope
