// A GPU's description: what is accepted says the same when written and read again, and the model can predict
// with it.
#include <string>

#include "sim/gpu.h"
#include "sim/gpu_toml.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/predict_once.h"

namespace hbmscope::fuzz {

bool check_input(std::string_view input) {
  const auto gpu = accepted([&] { return parse_gpu(input, "gpu.toml"); });
  if (!gpu) return false;
  const std::string written = gpu_toml(*gpu);
  require(gpu_toml(parse_gpu(written, "written.toml")) == written,
          "a description is the same when read again");
  predict_once(*gpu);
  return true;
}

}  // namespace hbmscope::fuzz
