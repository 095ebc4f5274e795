#include "cli/point_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/predictions.h"
#include "cli/progress.h"
#include "sim/error.h"

namespace hbmscope {

std::size_t work_through(const PointWork& work, const std::string& verb, const MakeRecord& make,
                         const TakeRecord& take) {
  const std::size_t known = work.journal != nullptr ? work.journal->known() : 0;
  Progress progress(verb, "points", work.range.size() - std::min(known, work.range.size()), work.terminal);
  Point point;
  bool all_tried = true;
  std::size_t index = work.range.begin;
  for (; index < work.range.end && !interrupted(); ++index) {
    const PointContext context = work.points.fill(index, point);
    if (const Record* earlier = work.journal != nullptr ? work.journal->find(point) : nullptr) {
      Record record = *earlier;
      take(record);
      continue;
    }
    MadeRecord made;
    try {
      made = make(context, point);
    } catch (const Stopped&) {
      break;
    }
    all_tried = all_tried && made.tried;
    if (work.journal != nullptr && all_tried) work.journal->add(made.record);
    take(made.record);
    progress.advance();
  }
  if (work.journal != nullptr) work.journal->sync();
  return index - work.range.begin;
}

PredictedPoints predict_points(const PointWork& work, bool with_rows, const TakeRecord& take) {
  Predictions predictions(work, with_rows);
  PredictedPoints made;
  made.done = work_through(
      work, "predicting",
      [&](const PointContext& context, const Point& point) {
        return MadeRecord{.record = predictions.make(context, point)};
      },
      [&](Record& record) {
        if (!record.prediction && made.skipped++ == 0) made.reason = record.reason;
        take(record);
      });
  return made;
}

int prediction_exit_code(const PredictedPoints& made, const PointWork& work) {
  if (made.done < work.range.size()) return end_interrupted(made.done, work.range.size());
  if (made.skipped == made.done)
    throw UserError("points", "", fmt::format("none of {} can be predicted: {}", made.done, made.reason));
  return kDone;
}

Record predict_point(const PointContext& context, const Point& point, PredictionScratch& scratch,
                     bool with_rows) {
  try {
    return predict_record(context, point, scratch, with_rows);
  } catch (const PointError& error) {
    return {.point = point, .status = Status::skipped, .reason = error.what()};
  }
}

int end_interrupted(std::size_t done, std::size_t total) {
  write_stderr(
      fmt::format("hbmscope: interrupted after {} of {} points; what was finished is kept\n", done, total));
  return kInterrupted;
}

}  // namespace hbmscope
