#include "sim/gpu.h"

#include <algorithm>
#include <stdexcept>

namespace hbmscope {

const CacheLevel& GpuSpec::l2() const {
  const auto found =
      std::find_if(caches.begin(), caches.end(), [](const CacheLevel& level) { return level.name == "L2"; });
  if (found == caches.end()) throw std::logic_error(name + " was built without an L2");
  return *found;
}

double GpuSpec::sram_bytes_per_s() const {
  return sram_bytes_per_clock_per_sm.value * static_cast<double>(sms) * clock_hz.value;
}

double GpuSpec::exp_per_s() const {
  return exp_per_clock_per_sm.value * static_cast<double>(sms) * clock_hz.value;
}

// At the boost clock, the highest there is: what bounds the time from below.
std::optional<double> GpuSpec::tensor_flops_per_s(DataType dtype) const {
  const std::optional<SourcedValue>* rate = nullptr;
  switch (dtype) {
    case DataType::bf16:
      rate = &tensor_flops_bf16;
      break;
    case DataType::fp16:
      rate = &tensor_flops_fp16;
      break;
    case DataType::fp8:
      rate = &tensor_flops_fp8;
      break;
    case DataType::fp32:
      rate = &tensor_flops_fp32;
      break;
  }
  if (rate == nullptr || !*rate) return std::nullopt;
  return (*rate)->value * static_cast<double>(sms) * clock_hz.value;
}

}  // namespace hbmscope
