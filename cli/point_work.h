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
};

struct MadeRecord {
  Record record;
  bool tried = true;  // false: the record says that the point was not run
};
using MakeRecord = std::function<MadeRecord(const PointContext& context, const Point& point)>;
using TakeRecord = std::function<void(Record& record)>;

// Makes each point's record in order, unless the journal knows it, and hands it on; when interrupted, it
// stops after the point at hand. The journal gets what is new, but nothing after a point that was not tried:
// a resumed run tries that one again, and the journal keeps the order of the points. Returns the number of
// points done. `verb` is for the progress: "predicting".
std::size_t work_through(const PointWork& work, const std::string& verb, const MakeRecord& make,
                         const TakeRecord& take);

// The same for what the model says alone. Throws UserError for a point whose counts exceed 64 bits.
std::size_t predict_points(const PointWork& work, bool with_rows, const TakeRecord& take);

// predict_record() with errors that name the point.
Record predict_point(const PointContext& context, const Point& point, PredictionScratch& scratch,
                     bool with_rows);

// Says that a run was stopped early and returns the exit code.
int end_interrupted(std::size_t done, std::size_t total);

}  // namespace hbmscope
