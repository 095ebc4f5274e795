#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/cuda/device.h"

namespace hbmscope {

struct GpuClocks {
  std::optional<std::int64_t> sm_mhz;
  std::optional<std::int64_t> memory_mhz;
  std::string reason;  // why one is absent
};

// What NVML (libnvidia-ml.so.1, part of the driver) says about a GPU. Reads only; clocks are never changed.
// Without NVML everything is absent, with the reason.
class GpuState {
 public:
  explicit GpuState(const Device& device);
  ~GpuState();
  GpuState(const GpuState&) = delete;
  GpuState& operator=(const GpuState&) = delete;

  GpuClocks clocks() const;
  std::optional<std::string> driver_version() const;  // "580.95.05"

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;  // null if it could not be opened
  std::string reason_;
};

}  // namespace hbmscope
