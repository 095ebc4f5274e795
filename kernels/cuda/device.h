#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kernels/cuda/driver.h"

namespace hbmscope {

// Owning handles over the driver API. All of them throw DeviceError and expect the device's context to be
// current.

// A GPU whose primary context (the one the CUDA runtime and other tools share) is retained and current on
// this thread.
class Device {
 public:
  // Throws UserError for an ordinal that does not exist.
  explicit Device(int ordinal = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int ordinal() const { return ordinal_; }
  CUdevice handle() const { return device_; }
  CUcontext context() const { return context_; }
  std::string name() const;
  int attribute(CUdevice_attribute attribute) const;
  // 80 for sm_80, 90 for sm_90.
  int compute_capability() const;
  std::uint64_t total_memory_bytes() const;
  std::uint64_t free_memory_bytes() const;
  void synchronize() const;

 private:
  int ordinal_ = 0;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

// Device memory; address() is aligned to at least 256 bytes.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::uint64_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  CUdeviceptr address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
};

// Synchronous copies between host and device.
void copy_to_device(CUdeviceptr destination, std::span<const std::byte> source);
void copy_to_host(std::span<std::byte> destination, CUdeviceptr source);

struct LaunchShape {
  unsigned grid_x = 1;
  unsigned grid_y = 1;
  unsigned grid_z = 1;
  unsigned threads = 1;
  unsigned shared_bytes = 0;  // dynamic shared memory per CTA
};

// A function of a loaded module; valid while the module lives.
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(CUfunction function) : function_(function) {}

  // Beyond 48 KiB a kernel must be allowed its dynamic shared memory before its first launch.
  void allow_dynamic_shared_bytes(unsigned bytes) const;
  // `arguments` points to one pointer per kernel parameter.
  void launch(const LaunchShape& shape, void** arguments, CUstream stream = nullptr) const;

 private:
  CUfunction function_ = nullptr;
};

class Module {
 public:
  // `image` is a cubin or PTX text.
  explicit Module(std::span<const char> image);
  ~Module();
  Module(Module&& other) noexcept : module_(std::exchange(other.module_, nullptr)) {}
  Module& operator=(Module&& other) noexcept {
    std::swap(module_, other.module_);
    return *this;
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Kernel kernel(const std::string& name) const;

 private:
  CUmodule module_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(CUstream stream = nullptr);
  void synchronize();
  // Waits for this event; `begin` must have been recorded earlier.
  double seconds_since(const Event& begin);

 private:
  CUevent event_ = nullptr;
};

}  // namespace hbmscope
