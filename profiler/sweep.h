#pragma once

#include <cstdint>

#include "kernels/cuda/device.h"

namespace hbmscope {

// Cleans the L2: reads a buffer of its own, three times as large as the L2, once. Every line that was cached
// is evicted, dirty ones are written back, and what remains cached is clean. Reads bypass L1; the kernel
// writes nothing and uses neither shared nor local memory, so that it adds nothing to a program's counters
// but reads. A flush by memset would leave the L2 full of dirty lines that are billed to the next kernel.
class L2Sweep {
 public:
  // Allocates the buffer and cleans it. Throws DeviceError.
  explicit L2Sweep(const Device& device);

  // Submits one sweep to the default stream and does not wait.
  void run() const;
  std::uint64_t bytes() const { return buffer_.bytes(); }

 private:
  DeviceBuffer buffer_;
  Module module_;
  Kernel kernel_;
  LaunchShape shape_;
};

}  // namespace hbmscope
