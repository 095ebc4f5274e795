// Stands in for calibrate_cuda.cpp in a build without a CUDA toolkit.
#include "kernels/gpu.h"
#include "profiler/calibration/calibrate.h"
#include "sim/error.h"

namespace hbmscope {

CalibrationOutcome calibrate(const CalibrationOptions&) { throw UserError("GPU", "", kBuiltWithoutCuda); }

}  // namespace hbmscope
