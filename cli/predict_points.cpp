#include "cli/predict_points.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/point_columns.h"
#include "cli/progress.h"
#include "sim/error.h"

namespace hbmscope {

std::size_t predict_points(const PointList& points, bool with_rows, const Terminal& terminal,
                           const std::function<void(Record&)>& take) {
  Progress progress("predicting", "points", points.size(), terminal);
  PredictionScratch scratch;
  Point point;
  for (std::size_t index = 0; index < points.size(); ++index) {
    if (interrupted()) return index;
    const PointContext context = points.fill(index, point);
    try {
      Record record = predict_record(context, point, scratch, with_rows);
      take(record);
    } catch (const UserError& error) {
      rethrow_with_point(error, point);
    }
    progress.advance();
  }
  return points.size();
}

void print_point_count(const PointList& points) {
  write_stdout(fmt::format("{} point{}\n", points.size(), points.size() == 1 ? "" : "s"));
}

int end_interrupted(std::size_t done, std::size_t total) {
  write_stderr(
      fmt::format("hbmscope: interrupted after {} of {} points; what was finished is kept\n", done, total));
  return kInterrupted;
}

void rethrow_with_point(const UserError& error, const Point& point) {
  if (!error.value().empty()) throw UserError(error);
  throw UserError(error.input(), describe_point(point), error.accepted());
}

}  // namespace hbmscope
