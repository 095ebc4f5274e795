#pragma once

#include <functional>
#include <string>

#include "sim/record.h"

namespace hbmscope {

// Keeps a run of many points going when one of them fails. An error of the GPU that loses its context (an
// illegal address, a launch that timed out) lasts as long as the process: every later call would fail with
// the same error whatever its point, so later points are not tried.
class FailureGuard {
 public:
  // Measures one point. A DeviceError, a kernel that does not compile and a lack of host memory make the
  // record `failed` with the reason, without a measurement; a UserError passes through. False if the point
  // was not tried: its record is `failed` too and names the point that lost the context.
  bool run(Record& record, const std::function<void()>& measure);

 private:
  std::string lost_by_;  // the point that lost the context, with the error; "" while there is one
};

// Makes the record `failed`.
void fail(Record& record, const std::string& reason);

}  // namespace hbmscope
