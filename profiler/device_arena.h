#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/device.h"
#include "profiler/arena.h"

namespace hbmscope {

// The one allocation that all tensors of a program come from. One allocation, so that a placement is decided
// by our offsets and not by an allocator's history.
class DeviceArena {
 public:
  // Room for `payload_bytes` of tensors (arena_payload_bytes) plus slack: kArenaSlack, or less if the GPU has
  // less free memory. Throws UserError with need and free memory if the tensors do not fit.
  DeviceArena(const Device& device, Bytes payload_bytes);

  Bytes bytes() const { return buffer_.bytes(); }
  // Addresses of the tensors in the order of `sizes`, see place_tensors.
  std::vector<CUdeviceptr> place(std::span<const Bytes> sizes, std::uint64_t seed,
                                 std::uint64_t placement) const;

 private:
  DeviceBuffer buffer_;
};

}  // namespace hbmscope
