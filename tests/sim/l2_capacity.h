#pragma once

#include <string_view>

#include "sim/gpu.h"

namespace hbmscope::test {

// A GPU each of whose caches holds so many bytes, all of which lines reach.
inline GpuSpec with_capacity(GpuSpec gpu, double bytes) {
  for (CacheLevel& level : gpu.caches) {
    level.capacity_bytes.value = bytes;
    level.reached_bytes.reset();
  }
  return gpu;
}
inline GpuSpec with_capacity(std::string_view name, double bytes) {
  return with_capacity(load_gpu(name), bytes);
}

}  // namespace hbmscope::test
