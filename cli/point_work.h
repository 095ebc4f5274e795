#pragma once

#include <functional>
#include <string>

#include "cli/point_list.h"
#include "cli/terminal.h"
#include "reports/journal.h"

namespace hbmscope {

// Points begin, begin + 1, …, end - 1 of a list.
struct PointRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// What a command works through.
struct PointWork {
  const PointList& points;
  PointRange range;
  Terminal terminal;
  Journal* journal = nullptr;  // null without one
  std::size_t threads = 1;     // that replay
};

struct MadeRecord {
  Record record;
  bool tried = true;  // false: the record says that the point was not run
};
using MakeRecord = std::function<MadeRecord(const PointContext& context, const Point& point)>;
using TakeRecord = std::function<void(Record& record)>;

// Makes each point's record in order, unless the journal knows it, and hands it on; when interrupted, it
// stops after the point at hand, or within it where that is a replay (`make` throws Stopped). The journal
// gets what is new, but nothing after a point that was not tried: a resumed run tries that one again, and the
// journal keeps the order of the points. Returns the number of points done. `verb` is for the progress:
// "predicting".
std::size_t work_through(const PointWork& work, const std::string& verb, const MakeRecord& make,
                         const TakeRecord& take);

// What came of the points that the model alone was asked for.
struct PredictedPoints {
  std::size_t done = 0;
  std::size_t skipped = 0;  // of those done: without a prediction
  std::string reason;       // of the first that was skipped
};
PredictedPoints predict_points(const PointWork& work, bool with_rows, const TakeRecord& take);

// The exit code of what was done. Throws UserError if no point could be predicted.
int prediction_exit_code(const PredictedPoints& made, const PointWork& work);

// predict_record(); a point whose counts exceed 64 bits is a record `skipped` with the reason.
Record predict_point(const PointContext& context, const Point& point, PredictionScratch& scratch,
                     bool with_rows);

// Says that a run was stopped early and returns the exit code.
int end_interrupted(std::size_t done, std::size_t total);

}  // namespace hbmscope
