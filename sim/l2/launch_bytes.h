#pragma once

#include "sim/traffic.h"

namespace hbmscope {

// What SMs load and store in a launch.
inline ReadWrite l2_bytes(const LaunchTraffic& moved) {
  ReadWrite sum;
  for (const TensorTraffic& tensor : moved.tensors) {
    sum.read += tensor.l2.read;
    sum.write += tensor.l2.write;
  }
  return sum;
}

// A launch that stores at least one byte for so many that it loads keeps write-backs waiting for each other.
// A copy (1) does and a stream of loads does not; what is between was not measured, and no launch of these
// algorithms lies near: S = QKᵀ loads 1 to 2 bytes for each that it stores, O = PV more than ten.
inline constexpr std::uint64_t kLoadsPerStore = 4;

inline bool keeps_storing(const ReadWrite& l2) {
  return l2.write > 0 && l2.write >= l2.read / kLoadsPerStore;
}

}  // namespace hbmscope
