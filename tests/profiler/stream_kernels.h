#pragma once

#include <cstdint>

#include "kernels/cuda/device.h"

namespace hbmscope {

// The kernels of stream.ptx, whose bytes are known by arithmetic. Sizes are multiples of 16 bytes; all submit
// to the default stream and do not wait.
class StreamKernels {
 public:
  explicit StreamKernels(const Device& device);

  void fill(CUdeviceptr target, std::uint64_t bytes) const;
  void copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) const;
  // Shared memory: kSharedWriteBytes written and kSharedReadBytes read per CTA; 4 KiB of `target` written.
  void shared(CUdeviceptr target, unsigned ctas) const;

  static constexpr std::uint64_t kSharedWriteBytes = 1024 * 16;
  static constexpr std::uint64_t kSharedReadBytes = 2 * kSharedWriteBytes;
  static constexpr std::uint64_t kSharedTargetBytes = 1024 * 4;

 private:
  Module module_;
  LaunchShape shape_;
};

}  // namespace hbmscope
