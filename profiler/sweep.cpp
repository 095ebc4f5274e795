#include "profiler/sweep.h"

#include <span>
#include <string>

#include "sim/embedded_file.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_ptx();  // profiler/sweep.ptx

namespace {

constexpr std::uint64_t kWordBytes = 16;
constexpr std::uint64_t kL2Multiple = 3;

// The driver wants PTX as text that ends with a zero.
Module load_ptx() {
  const std::string ptx(embedded_ptx().front().text);
  return Module(std::span(ptx.c_str(), ptx.size() + 1));
}

LaunchShape full_gpu(const Device& device) {
  constexpr unsigned kCtasPerSm = 2;
  LaunchShape shape;
  shape.threads = 1024;
  shape.grid_x =
      kCtasPerSm * static_cast<unsigned>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return shape;
}

std::uint64_t sweep_bytes(const Device& device) {
  const auto l2_bytes = static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  return kL2Multiple * l2_bytes / kWordBytes * kWordBytes;
}

}  // namespace

ReadKernel::ReadKernel(const Device& device)
    : module_(load_ptx()), kernel_(module_.kernel("sweep")), shape_(full_gpu(device)) {}

void ReadKernel::run(CUdeviceptr base, std::uint64_t bytes) const {
  std::uint64_t count = bytes / kWordBytes;
  CUdeviceptr sink = 0;  // null: nothing is stored
  void* arguments[] = {&base, &count, &sink};
  kernel_.launch(shape_, arguments);
}

L2Sweep::L2Sweep(const Device& device) : kernel_(device), buffer_(sweep_bytes(device)) {
  check(driver().memset_d8_async(buffer_.address(), 0, buffer_.bytes(), nullptr), "cuMemsetD8Async");
  run();  // evicts the lines that the memset left dirty
  device.synchronize();
}

}  // namespace hbmscope
