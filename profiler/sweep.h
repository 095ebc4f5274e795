#pragma once

#include <cstdint>

#include "kernels/cuda/device.h"

namespace hbmscope {

// A kernel that reads a buffer once with all SMs. Reads are cached in L2 and bypass L1; it writes nothing and
// uses neither shared nor local memory.
class ReadKernel {
 public:
  explicit ReadKernel(const Device& device);
  // Submits the read of `bytes` (a multiple of 16) to the default stream and does not wait.
  void run(CUdeviceptr base, std::uint64_t bytes) const;

 private:
  Module module_;
  Kernel kernel_;
  LaunchShape shape_;
};

// Cleans the L2: reads a buffer of its own, three times as large as the L2, once. Every line that was cached
// is evicted, dirty ones are written back, and what remains cached is clean. A flush by memset would leave
// the L2 full of dirty lines that are billed to the next kernel.
class L2Sweep {
 public:
  // Allocates the buffer and cleans it. Throws DeviceError.
  explicit L2Sweep(const Device& device);

  // Submits one sweep to the default stream and does not wait.
  void run() const { kernel_.run(buffer_.address(), buffer_.bytes()); }
  std::uint64_t bytes() const { return buffer_.bytes(); }

 private:
  ReadKernel kernel_;
  DeviceBuffer buffer_;
};

}  // namespace hbmscope
