#pragma once

#include <string>

#include "profiler/calibration/calibrate.h"
#include "profiler/calibration/calibrated_gpu.h"

namespace hbmscope {

// What calibration found beside what the description said, and the patterns counted beside their replay.
std::string calibration_text(const CalibrationOutcome& outcome, const CalibratedGpu& calibrated, bool color);

// A row of patterns.csv. Bytes are those of DRAM in the counted pass.
std::string pattern_csv_header();
std::string pattern_csv_row(const PatternRow& row);

}  // namespace hbmscope
