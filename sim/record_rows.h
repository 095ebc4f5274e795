#pragma once

#include "sim/gpu.h"
#include "sim/predict.h"
#include "sim/record.h"

namespace hbmscope {

// True if the instructions of every launch are described, so that shared-memory bytes can be given.
bool describes_every_kernel(const Program& program);

// Append to a record what a prediction left in its scratch: a row for each launch; a row for each roof that
// is known; a row for each tensor, launch and boundary with any bytes.
void list_launches(const PredictionScratch& scratch, const GpuSpec& gpu, const Roofs& roofs, Record& record);
void list_roofs(const PredictionScratch& scratch, const Roofs& roofs, Record& record);
void list_traffic(const PredictionScratch& scratch, Record& record);

}  // namespace hbmscope
