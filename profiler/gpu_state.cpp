#include "profiler/gpu_state.h"

#include <fmt/format.h>

#include <array>

#include "kernels/cuda/dynamic_library.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// NVML's header is not part of every toolkit, and these five functions have been stable since 2015.
using NvmlDevice = void*;
using NvmlResult = int;  // 0 is success
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;

struct NvmlApi {
  NvmlResult (*init)() = nullptr;
  NvmlResult (*shutdown)() = nullptr;
  NvmlResult (*device_by_pci)(const char* pci, NvmlDevice* device) = nullptr;
  NvmlResult (*clock_info)(NvmlDevice device, int clock, unsigned* mhz) = nullptr;
  NvmlResult (*driver_version)(char* text, unsigned length) = nullptr;
};

// CUDA's and NVML's ordinals differ (CUDA_VISIBLE_DEVICES, device order); the PCI address is the same in
// both.
std::string pci_address(const Device& device) {
  return fmt::format("{:08x}:{:02x}:{:02x}.0", device.attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                     device.attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                     device.attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
}

}  // namespace

struct GpuState::Nvml {
  DynamicLibrary library{{"NVML",
                          {"libnvidia-ml.so.1"},
                          {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib"},
                          "it comes with the NVIDIA driver"}};
  NvmlApi api;
  NvmlDevice device = nullptr;
  NvmlResult result = 0;  // of init and of finding the device

  explicit Nvml(const std::string& pci) {
    library.resolve("nvmlInit_v2", api.init);
    library.resolve("nvmlShutdown", api.shutdown);
    library.resolve("nvmlDeviceGetHandleByPciBusId_v2", api.device_by_pci);
    library.resolve("nvmlDeviceGetClockInfo", api.clock_info);
    library.resolve("nvmlSystemGetDriverVersion", api.driver_version);
    result = api.init();
    if (result == 0) result = api.device_by_pci(pci.c_str(), &device);
  }
  ~Nvml() { api.shutdown(); }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::optional<std::int64_t> clock(int kind, std::string& reason) const {
    unsigned mhz = 0;
    const NvmlResult read = result != 0 ? result : api.clock_info(device, kind, &mhz);
    if (read == 0) return mhz;
    reason = fmt::format("NVML error {} when reading a clock", read);
    return std::nullopt;
  }
};

GpuState::GpuState(const Device& device) {
  try {
    nvml_ = std::make_unique<Nvml>(pci_address(device));
  } catch (const UserError& error) {
    reason_ = error.what();
  }
}

GpuState::~GpuState() = default;

GpuClocks GpuState::clocks() const {
  GpuClocks clocks;
  clocks.reason = reason_;
  if (!nvml_) return clocks;
  clocks.sm_mhz = nvml_->clock(kSmClock, clocks.reason);
  clocks.memory_mhz = nvml_->clock(kMemoryClock, clocks.reason);
  return clocks;
}

std::optional<std::string> GpuState::driver_version() const {
  std::array<char, 80> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  if (!nvml_ || nvml_->api.driver_version(text.data(), text.size()) != 0) return std::nullopt;
  return text.data();
}

}  // namespace hbmscope
