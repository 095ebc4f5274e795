#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/compiler.h"
#include "kernels/cuda/device.h"
#include "sim/units.h"

namespace hbmscope {

inline constexpr Bytes kProbeLineBytes = 128;
inline constexpr std::size_t kLinesPerMib = kMiB / kProbeLineBytes;

// Consecutive lines of device memory.
struct Lines {
  CUdeviceptr first = 0;
  std::uint64_t count = 0;
};

// An array in device memory, zeros at first.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size), buffer_(size * sizeof(T)) {
    check(driver().memset_d8_async(buffer_.address(), 0, size * sizeof(T), nullptr), "cuMemsetD8Async");
    check(driver().ctx_synchronize(), "cuCtxSynchronize");
  }

  CUdeviceptr address() const { return buffer_.address(); }
  void assign(std::span<const T> values) const {
    if (values.size() > size_) throw std::logic_error("more values than the device array has room for");
    copy_to_device(buffer_.address(), std::as_bytes(values));
  }
  std::vector<T> first(std::size_t count) const {
    if (count > size_) throw std::logic_error("fewer values in the device array than asked for");
    std::vector<T> values(count);
    copy_to_host(std::as_writable_bytes(std::span(values)), buffer_.address());
    return values;
  }
  std::vector<T> values() const { return first(size_); }

 private:
  std::size_t size_;
  DeviceBuffer buffer_;
};

// Runs the micro-kernels of the calibration on a GPU: reads, writes and latencies of lines, by all SMs or by
// one. Every call waits for its kernel.
class Probe {
 public:
  // Throws UserError if the kernels cannot be compiled here, DeviceError if the GPU's memory does not
  // suffice.
  Probe(const Device& device, const KernelCompiler& compiler);

  int sms() const { return sms_; }
  const Device& device() const { return device_; }
  // An entry point of a build's file, compiled and loaded once.
  Kernel kernel(const KernelBuild& build, const std::string& entry);

  // The memory that is probed: kMemoryMib from a multiple of 8 MiB on, so that the lowest 23 bits of an
  // address in it are those of its offset. The first 400 MiB are what flush() reads.
  static constexpr std::size_t kMemoryMib = 4096;
  Lines lines(std::size_t offset_mib, std::size_t mib) const {
    return {memory_ + offset_mib * kMiB, mib * kLinesPerMib};
  }

  // After it the L2 holds nothing of lines(400, …).
  void flush() { touch_once(lines(0, 400)); }
  // One sector of each line: by some SM, by all SMs, by this one.
  void touch_once(Lines lines);
  void touch_by_all(Lines lines);
  void touch_by(int sm, Lines lines);
  // All bytes.
  void write_once(Lines lines);
  void write_by(int sm, Lines lines);

  // Cycles that one thread of the SM waits for lines of `lines`, one after the other in the order of `order`,
  // kMaxTimed at most.
  static constexpr std::size_t kMaxTimed = 8 * kLinesPerMib;
  std::vector<std::uint16_t> latencies(int sm, Lines lines, std::span<const std::uint32_t> order);

  // Submits a kernel with these arguments and does not wait.
  template <class... Arguments>
  static void submit(const Kernel& kernel, const LaunchShape& shape, Arguments... arguments) {
    std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
    kernel.launch(shape, pointers.data());
  }
  // The same, and waits.
  template <class... Arguments>
  void run(const Kernel& kernel, const LaunchShape& shape, Arguments... arguments) const {
    submit(kernel, shape, arguments...);
    device_.synchronize();
  }
  // Runs one CTA of a kernel(sm, taken, arguments...) on the SM. Throws std::runtime_error if none came to
  // it.
  template <class... Arguments>
  void run_on(int sm, unsigned threads, const Kernel& kernel, Arguments... arguments) {
    taken_.assign(std::array{0U});
    run(kernel, {.grid_x = 4 * static_cast<unsigned>(sms_), .threads = threads}, static_cast<unsigned>(sm),
        taken_.address(), arguments...);
    if (taken_.values()[0] == 0) no_cta_came(sm);
  }

 private:
  [[noreturn]] static void no_cta_came(int sm);

  const Device& device_;
  const KernelCompiler& compiler_;
  int sms_;
  DeviceBuffer allocation_;
  CUdeviceptr memory_;
  std::map<std::string, Module> modules_;  // by file and macros
  // Kept, because to allocate and free memory between two steps of an experiment could empty the caches.
  DeviceArray<unsigned> taken_{1};
  DeviceArray<std::uint32_t> order_{kMaxTimed};
  DeviceArray<std::uint16_t> cycles_{kMaxTimed};
};

// 0, 1, …, count - 1.
std::vector<std::uint32_t> in_order(std::size_t count);

}  // namespace hbmscope
