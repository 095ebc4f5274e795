#pragma once

#include <functional>
#include <string>

#include "cli/outputs.h"
#include "cli/point_list.h"
#include "cli/terminal.h"

namespace hbmscope {

// Predicts all points in order and hands each record on; stops early when interrupted. Returns the number of
// points done. Throws UserError for a point whose counts exceed 64 bits.
std::size_t predict_points(const PointList& points, bool with_rows, const Terminal& terminal,
                           const std::function<void(Record&)>& take);

// "64 points" to standard output, for --dry-run.
void print_point_count(const PointList& points);

// Says that a run was stopped early and returns the exit code.
int end_interrupted(std::size_t done, std::size_t total);

// Adds the point to an error that names none.
[[noreturn]] void rethrow_with_point(const UserError& error, const Point& point);

}  // namespace hbmscope
