#pragma once

#include <vector>

#include "cli/measurements.h"
#include "cli/point_work.h"
#include "cli/tolerance.h"

namespace hbmscope {

// Predicts and measures each point; one that cannot run, or fails, stays as a record with the reason. `take`
// sees each record as soon as it is there. Returns those that are done: all of them unless interrupted.
std::vector<Record> validate_points(const PointWork& work, bool with_rows, Measurements& measurements,
                                    const TakeRecord& take);

// The exit code of what was done, with the reason on standard error where it is not kDone. Throws UserError
// if no point could be measured.
int validation_exit_code(const std::vector<Record>& records, const Tolerance& tolerance);

}  // namespace hbmscope
