#include "profiler/sweep.h"

#include <span>
#include <string>

#include "sim/embedded_file.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_ptx();  // profiler/sweep.ptx

namespace {

// The driver wants PTX as text that ends with a zero.
Module load_sweep() {
  const std::string ptx(embedded_ptx().front().text);
  return Module(std::span(ptx.c_str(), ptx.size() + 1));
}

constexpr std::uint64_t kWordBytes = 16;
constexpr std::uint64_t kL2Multiple = 3;

std::uint64_t sweep_bytes(const Device& device) {
  const auto l2_bytes = static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  return kL2Multiple * l2_bytes / kWordBytes * kWordBytes;
}

}  // namespace

L2Sweep::L2Sweep(const Device& device)
    : buffer_(sweep_bytes(device)), module_(load_sweep()), kernel_(module_.kernel("sweep")) {
  constexpr unsigned kThreads = 1024;
  constexpr unsigned kCtasPerSm = 2;
  shape_.threads = kThreads;
  shape_.grid_x =
      kCtasPerSm * static_cast<unsigned>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  check(driver().memset_d8_async(buffer_.address(), 0, buffer_.bytes(), nullptr), "cuMemsetD8Async");
  run();  // the memset's dirty lines are evicted by the reads that follow it
  device.synchronize();
}

void L2Sweep::run() const {
  CUdeviceptr base = buffer_.address();
  std::uint64_t count = buffer_.bytes() / kWordBytes;
  CUdeviceptr sink = 0;
  void* arguments[] = {&base, &count, &sink};
  kernel_.launch(shape_, arguments);
}

}  // namespace hbmscope
