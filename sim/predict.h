#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"
#include "sim/gpu.h"
#include "sim/l2/l2_model.h"
#include "sim/record.h"
#include "sim/roofline.h"
#include "sim/traffic.h"

namespace hbmscope {

// Looked-up parts of a point, so that a sweep resolves names once and not for every point.
struct PointContext {
  const GpuSpec* gpu = nullptr;
  const Algorithm* algorithm = nullptr;
  const Variant* variant = nullptr;
};

// A point's program and counts; kept by the caller and used again for the next point without allocating.
struct PredictionScratch {
  Program program;
  Traffic traffic;
  HbmTraffic hbm;
  StopFlag stop = nullptr;  // a long prediction looks at it, and throws Stopped
};

// What a launch of the predicted program asks of each roof. Shared-memory bytes mean something only where
// every kernel is described.
Demand demand_of(const PredictionScratch& scratch, int launch);

// Why no kernel of the variant can run the plan on this GPU, with need and limit; "" if one can. A variant
// without kernels has no limits. `program` is the plan's. Throws CountOverflow if its tensors exceed 64 bits.
std::string infeasible_reason(const PointContext& context, const Plan& plan, const Program& program);

// The closed-form prediction of one point. Throws UserError for a plan that the variant does not take, and
// CountOverflow if a count exceeds 64 bits.
Prediction predict(const PointContext& context, const Plan& plan, L2Mode l2_mode, PredictionScratch& scratch);

// A whole record: prediction, feasibility, and (if asked for) the rows of its launches and of the traffic of
// their tensors.
Record predict_record(const PointContext& context, const Point& point, PredictionScratch& scratch,
                      bool with_rows);

// The same for a point given by names only. Throws UserError too for a name that does not exist or a size out
// of range.
Record predict_record(const Point& point);

}  // namespace hbmscope
