#include "profiler/device_arena.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.h"

namespace hbmscope {
namespace {

// What the sweep buffer, compiled kernels and CUPTI's own buffers still need.
constexpr Bytes kReserve = 512 * kMiB;

Bytes arena_bytes(const Device& device, Bytes payload_bytes) {
  const Bytes free_bytes = device.free_memory_bytes();
  const Bytes usable = free_bytes - std::min(free_bytes, kReserve);
  if (payload_bytes > usable) {
    throw UserError("problem size", fmt::format("{} bytes of tensors", payload_bytes),
                    fmt::format("the GPU has {} bytes free for tensors", usable));
  }
  return std::max(payload_bytes + std::min(kArenaSlack, usable - payload_bytes), kArenaAlignment);
}

}  // namespace

DeviceArena::DeviceArena(const Device& device, Bytes payload_bytes)
    : buffer_(arena_bytes(device, payload_bytes)) {}

std::vector<CUdeviceptr> DeviceArena::place(std::span<const Bytes> sizes, std::uint64_t seed,
                                            std::uint64_t placement) const {
  std::vector<CUdeviceptr> addresses;
  for (const Bytes offset : place_tensors(sizes, bytes(), seed, placement)) {
    addresses.push_back(buffer_.address() + offset);
  }
  return addresses;
}

}  // namespace hbmscope
