#include "tests/profiler/stream_kernels.h"

#include <span>
#include <string>

#include "sim/embedded_file.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_stream_ptx();  // tests/profiler/stream.ptx

namespace {

constexpr std::uint64_t kWordBytes = 16;

Module load_stream_ptx() {
  const std::string ptx(embedded_stream_ptx().front().text);
  return Module(std::span(ptx.c_str(), ptx.size() + 1));
}

}  // namespace

StreamKernels::StreamKernels(const Device& device) : module_(load_stream_ptx()) {
  shape_.threads = 1024;
  shape_.grid_x = 2 * static_cast<unsigned>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

void StreamKernels::fill(CUdeviceptr target, std::uint64_t bytes) const {
  std::uint64_t count = bytes / kWordBytes;
  void* arguments[] = {&target, &count};
  module_.kernel("fill").launch(shape_, arguments);
}

void StreamKernels::copy(CUdeviceptr target, CUdeviceptr source, std::uint64_t bytes) const {
  std::uint64_t count = bytes / kWordBytes;
  void* arguments[] = {&target, &source, &count};
  module_.kernel("copy").launch(shape_, arguments);
}

void StreamKernels::shared(CUdeviceptr target, unsigned ctas) const {
  LaunchShape shape = shape_;
  shape.grid_x = ctas;
  void* arguments[] = {&target};
  module_.kernel("shared").launch(shape, arguments);
}

}  // namespace hbmscope
