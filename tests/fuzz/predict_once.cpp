#include "tests/fuzz/predict_once.h"

#include <cmath>

#include "sim/predict.h"
#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {

void predict_once(const GpuSpec& gpu) {
  const Algorithm& algorithm = find_algorithm("flash2");
  const Variant& variant = algorithm.variants.front();
  const Point point{.gpu = gpu.name, .algorithm = "flash2", .variant = std::string(variant.name)};
  PredictionScratch scratch;
  const Record record = predict_record({&gpu, &algorithm, &variant}, point, scratch, true);
  require(record.prediction && std::isfinite(record.prediction->time_s) && record.prediction->time_s > 0,
          "every GPU takes some time");
}

}  // namespace hbmscope::fuzz
