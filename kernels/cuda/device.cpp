#include "kernels/cuda/device.h"

#include <fmt/format.h>

#include <array>

#include "sim/error.h"

namespace hbmscope {

Device::Device(int ordinal) : ordinal_(ordinal) {
  int count = 0;
  check(driver().device_get_count(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count) {
    throw UserError("GPU ordinal", std::to_string(ordinal), fmt::format("0 to {}", count - 1));
  }
  check(driver().device_get(&device_, ordinal), "cuDeviceGet");
  check(driver().device_primary_ctx_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  check(driver().ctx_set_current(context_), "cuCtxSetCurrent");
}

Device::~Device() { driver().device_primary_ctx_release(device_); }

std::string Device::name() const {
  std::array<char, 256> text{};
  check(driver().device_get_name(text.data(), static_cast<int>(text.size()), device_), "cuDeviceGetName");
  return text.data();
}

int Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(driver().device_get_attribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

int Device::compute_capability() const {
  return 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

std::uint64_t Device::total_memory_bytes() const {
  std::size_t bytes = 0;
  check(driver().device_total_mem(&bytes, device_), "cuDeviceTotalMem");
  return bytes;
}

std::uint64_t Device::free_memory_bytes() const {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check(driver().mem_get_info(&free_bytes, &total_bytes), "cuMemGetInfo");
  return free_bytes;
}

void Device::synchronize() const { check(driver().ctx_synchronize(), "cuCtxSynchronize"); }

DeviceBuffer::DeviceBuffer(std::uint64_t bytes) : bytes_(bytes) {
  check(driver().mem_alloc(&address_, bytes), "cuMemAlloc");
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) driver().mem_free(address_);
}

void copy_to_device(CUdeviceptr destination, std::span<const std::byte> source) {
  if (source.empty()) return;
  check(driver().memcpy_host_to_device(destination, source.data(), source.size()), "cuMemcpyHtoD");
}

void copy_to_host(std::span<std::byte> destination, CUdeviceptr source) {
  if (destination.empty()) return;
  check(driver().memcpy_device_to_host(destination.data(), source, destination.size()), "cuMemcpyDtoH");
}

void Kernel::allow_dynamic_shared_bytes(unsigned bytes) const {
  check(driver().func_set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(bytes)),
        "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)");
}

void Kernel::launch(const LaunchShape& shape, void** arguments, CUstream stream) const {
  check(driver().launch_kernel(function_, shape.grid_x, shape.grid_y, shape.grid_z, shape.threads, 1, 1,
                               shape.shared_bytes, stream, arguments, nullptr),
        "cuLaunchKernel");
}

Module::Module(std::span<const char> image) {
  check(driver().module_load_data(&module_, image.data()), "cuModuleLoadData");
}

Module::~Module() {
  if (module_ != nullptr) driver().module_unload(module_);
}

Kernel Module::kernel(const std::string& name) const {
  CUfunction function = nullptr;
  check(driver().module_get_function(&function, module_, name.c_str()),
        fmt::format("cuModuleGetFunction({})", name).c_str());
  return Kernel(function);
}

Event::Event() { check(driver().event_create(&event_, CU_EVENT_DEFAULT), "cuEventCreate"); }

Event::~Event() { driver().event_destroy(event_); }

void Event::record(CUstream stream) { check(driver().event_record(event_, stream), "cuEventRecord"); }

void Event::synchronize() { check(driver().event_synchronize(event_), "cuEventSynchronize"); }

double Event::seconds_since(const Event& begin) {
  synchronize();
  float milliseconds = 0.0F;
  check(driver().event_elapsed_time(&milliseconds, begin.event_, event_), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace hbmscope
