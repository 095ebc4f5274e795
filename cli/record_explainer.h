#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/gpu.h"
#include "sim/predict.h"
#include "sim/record.h"

namespace hbmscope {

// Says more of records than the file holds that they came from: builds their programs again. What cannot be
// looked up (a GPU that was described by a file, an algorithm that this version does not have) is left as it
// is.
class RecordExplainer {
 public:
  // `gpus` must outlive it.
  explicit RecordExplainer(std::span<const GpuSpec> gpus) : gpus_(gpus) {}

  // Why its io, compulsory and HBM bytes differ, unless it says so already.
  void add_reasons(Record& record);

  // Its replay over time at the median placement, whatever its L2 mode; false if nothing can be replayed.
  // Throws PointError (--l2) for a program that is too large.
  bool add_timeline(Record& record);

  // The same for the record that has most to show: whose bytes at DRAM, measured or else predicted, are the
  // largest multiple of the compulsory ones. Records that would take long to replay do not count, and nothing
  // is done if any record has a timeline.
  void add_one_timeline(std::vector<Record>& records);

 private:
  // Builds program and counts; absent if the point cannot be looked up.
  std::optional<PointContext> prepare(const Record& record);

  std::span<const GpuSpec> gpus_;
  PredictionScratch scratch_;
};

}  // namespace hbmscope
