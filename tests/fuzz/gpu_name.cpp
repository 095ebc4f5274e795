// A GPU's name with changes, "h200+l2.capacity=100MiB": the name of what it gives gives the same again, and
// the model can predict with it.
#include "sim/gpu_settings.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/predict_once.h"

namespace hbmscope::fuzz {

bool check_input(std::string_view input) {
  // A GPU may be a file, which gpu_description reads. A rate has a slash too.
  const std::string_view name = input.substr(0, input.find('+'));
  if (name.find('/') != std::string_view::npos || name.find(".toml") != std::string_view::npos) return false;
  const auto gpu = accepted([&] { return load_gpu(input); });
  if (!gpu) return false;
  const GpuSpec again = load_gpu(gpu->name);
  require(again.name == gpu->name && again.changes == gpu->changes, "one GPU has one name");
  for (const GpuSetting& setting : gpu_settings()) {
    require(setting.value(again) == setting.value(*gpu), "a name alone makes the GPU");
  }
  predict_once(*gpu);
  return true;
}

}  // namespace hbmscope::fuzz
