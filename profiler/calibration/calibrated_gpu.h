#pragma once

#include <string>
#include <vector>

#include "profiler/calibration/findings.h"

namespace hbmscope {

// A description of a GPU that nobody has described: what the driver says, and for the rates of an SM what the
// programming guide says or, of the tensor cores, what was measured. Throws std::runtime_error if tensor
// cores were not measured.
GpuSpec described_by_driver(const DriverFacts& facts, const Findings& findings, const std::string& chip);

struct CalibratedGpu {
  GpuSpec gpu;
  std::vector<std::string> refused;  // what was measured and cannot be: not in the description
};

// The description with what was found in the place of what it said about the L2, and beside the published
// rates. What was not found stays as it was. `stamp` is how and when: "hbmscope calibrate, 2026-11-30".
CalibratedGpu calibrated_gpu(GpuSpec described, const DriverFacts& facts, const Findings& findings,
                             const std::string& stamp);

}  // namespace hbmscope
