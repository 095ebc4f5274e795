#pragma once

// Host side of the probe: checked calls, device memory, launches on one SM, and the files of results.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/l2_probe/lines.cuh"

namespace hbmscope {

inline constexpr std::size_t kMiB = std::size_t{1} << 20U;
inline constexpr std::size_t kLinesPerMiB = kMiB / kLineBytes;
inline constexpr std::size_t kMaxTimed = 8 * kLinesPerMiB;

inline void check(cudaError_t error, const std::string& call) {
  if (error != cudaSuccess) throw std::runtime_error(call + " failed: " + cudaGetErrorString(error));
}

// Waits for the launch before this call, so that its error is reported under its own name.
inline void finish(const std::string& kernel) {
  check(cudaGetLastError(), "launch of " + kernel);
  check(cudaDeviceSynchronize(), kernel);
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)),
          "cudaMalloc of " + std::to_string(size * sizeof(T)) + " bytes");
    check(cudaMemset(data_, 0, size * sizeof(T)), "cudaMemset");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  void assign(const std::vector<T>& values) const {
    if (values.size() > size_) throw std::runtime_error("more values than the device array has room for");
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copy to the GPU");
  }
  std::vector<T> first(std::size_t count) const {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost), "copy from the GPU");
    return values;
  }
  std::vector<T> values() const { return first(size_); }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

// Consecutive lines of device memory.
struct Lines {
  char* first;
  std::size_t count;
};

class Gpu {
 public:
  // Throws std::runtime_error if there is no GPU or its memory does not suffice.
  Gpu();

  int sms() const { return sms_; }
  const std::string& name() const { return name_; }

  // The memory that the probe works on: 1 GiB from a multiple of 8 MiB on, so that the lowest 23 bits of an
  // address in it are those of its offset. The first 400 MiB are what flush() reads.
  Lines lines(std::size_t offset_mib, std::size_t mib) const {
    return {memory_ + offset_mib * kMiB, mib * kLinesPerMiB};
  }

  // After it the L2 holds nothing of lines(400, ...).
  void flush() const { read_once(lines(0, 400)); }

  void read_once(Lines lines) const;  // each line by one SM, all SMs take part
  void read_by_all(Lines lines) const;
  void read_by(int sm, Lines lines) const;
  void write_once(Lines lines) const;  // all bytes, each line by one SM
  void write_by(int sm, Lines lines) const;

  // Cycles that one thread of the SM waits for lines of `lines`, one after the other in the order of `order`,
  // kMaxTimed at most.
  std::vector<std::uint16_t> latencies(int sm, Lines lines, const std::vector<std::uint32_t>& order) const;

  // Runs one CTA of a kernel(Turn, arguments...) on the SM.
  template <class... Parameters, class... Arguments>
  void run_on(int sm, int threads, const std::string& name, void (*kernel)(Turn, Parameters...),
              Arguments... arguments) const {
    taken_.assign({0});
    kernel<<<4 * sms_, threads>>>(Turn{static_cast<unsigned>(sm), taken_.data()}, arguments...);
    finish(name);
    if (taken_.values()[0] == 0) throw std::runtime_error(name + ": no CTA came to SM " + std::to_string(sm));
  }

 private:
  std::string name_;
  int sms_ = 0;
  DeviceArray<char> allocation_;
  char* memory_;
  // Kept, because to allocate and free memory between two steps of an experiment could empty the caches.
  DeviceArray<unsigned> taken_{1};
  DeviceArray<std::uint32_t> order_{kMaxTimed};
  DeviceArray<std::uint16_t> cycles_{kMaxTimed};
};

// A CSV file with a header line. Throws std::runtime_error if it cannot be written.
class CsvFile {
 public:
  CsvFile(const std::string& path, const std::string& header) : path_(path), file_(path) { row(header); }

  void row(const std::string& text) {
    file_ << text << std::endl;
    if (!file_) throw std::runtime_error("cannot write '" + path_ + "'");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace hbmscope
