#pragma once

#include <memory>
#include <string>

#include "reports/run_info.h"
#include "sim/program.h"
#include "sim/record.h"

namespace hbmscope {

enum class CounterNeed : std::uint8_t {
  none,    // results and times only
  wanted,  // a counter that cannot be read is absent, with the reason
  needed,  // no run without counters, and a point that lacks one fails
};

// Runs points on the installed GPU: compiles their kernels, checks their results against the float64
// reference, counts bytes under the measurement protocol, and times them. live_run_cuda.cpp does it,
// live_run_absent.cpp refuses in a build without a toolkit.
class LiveRun {
 public:
  // Throws UserError without a GPU, or if counters are needed and cannot be used.
  explicit LiveRun(CounterNeed need);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // As the driver names it.
  const std::string& gpu_name() const;
  // Adds GPU, driver and CUDA.
  void describe(RunInfo& run) const;

  // `program` is the feasible point's. Fills the record's measurement, provenance and kernel hash; a kernel
  // that does not compile, fails on the GPU or computes something else makes it `failed` with the reason, a
  // point that does not fit the GPU's memory `skipped`. False if the point was not tried, see FailureGuard.
  // Throws UserError if no kernel can be compiled here.
  bool measure(const Program& program, Record& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hbmscope
