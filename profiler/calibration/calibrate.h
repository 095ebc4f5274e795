#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/calibration/findings.h"

namespace hbmscope {

// The measurements that can be asked for by name, in the order in which they run, each with what it measures.
struct CalibrationStep {
  std::string_view name;
  std::string_view what;
  std::vector<std::string_view> needs;  // run before, asked for or not
};
const std::vector<CalibrationStep>& calibration_steps();

// The wanted steps and what they need, in the order in which they run; all for an empty list. Throws
// UserError
// (--only) for a name that is none.
std::vector<std::string_view> chosen_steps(const std::vector<std::string>& only);

struct CalibrationOptions {
  std::vector<std::string_view> steps;  // chosen_steps()
  std::string evidence;                 // folder for raw measurements; empty: none
  // The description to start from, by the name of the installed GPU; absent if nobody has described it.
  std::function<std::optional<GpuSpec>(const std::string& full_name)> describe;
  std::function<void(const std::string& line)> say;  // what is done, and how long it took
  std::function<bool()> stopped;                     // asked between measurements
};

struct CalibrationOutcome {
  DriverFacts facts;
  Findings findings;
  std::optional<GpuSpec> described;   // as options.describe gave it
  std::string chip;                   // as CUPTI names it, or "unknown"
  std::vector<std::string> failures;  // "sets: …", of measurements that refused their result
};

// Measures the installed GPU. A measurement that fails loses its own findings only. calibrate_cuda.cpp does
// it; calibrate_absent.cpp refuses in a build without a toolkit. Throws UserError without a GPU, or if no
// kernel can be compiled here.
CalibrationOutcome calibrate(const CalibrationOptions& options);

}  // namespace hbmscope
