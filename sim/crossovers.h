#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/predict.h"

namespace hbmscope {

// A size of a point that is varied while all others stay: first, first + step, … last.
struct ScannedAxis {
  std::string_view name;  // of the command line's option, without its dashes
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 0;
  void (*set)(Point& point, std::int64_t value) = nullptr;
  // False where the axis would only repeat another one: K/V rows that are as many as Q's.
  bool (*applies)(const Point& point) = nullptr;
};
std::span<const ScannedAxis> scanned_axes();

// Where the limiter of a point changes hands along each axis. Every value of an axis is predicted, none is
// interpolated. Those count that compare with the point: if a kernel can run it, the values that a kernel can
// run; else the values at which the same roofs are known. About 1,100 predictions, with the HBM bytes of the
// point's L2 mode; those of a replay, which would take minutes, are estimated (L2Mode::model).
std::vector<CrossoverRow> find_crossovers(const PointContext& context, const Point& point,
                                          PredictionScratch& scratch);

}  // namespace hbmscope
