#include "profiler/cupti_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hbmscope {
namespace {

constexpr std::string_view kPermissionCure =
    "run as root or with CAP_SYS_ADMIN (docker run --cap-add SYS_ADMIN), or load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0: put 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in "
    "/etc/modprobe.d/nvidia-profiling.conf and reboot";
constexpr std::string_view kWholeGpuCure = "use a whole GPU, or recorded counters";

constexpr std::array kTexts{
    CuptiErrorText{1, "CUPTI_ERROR_INVALID_PARAMETER", "a metric or an argument is not accepted on this chip",
                   "compare with `hbmscope list counters`"},
    CuptiErrorText{2, "CUPTI_ERROR_INVALID_DEVICE", "this GPU cannot be profiled",
                   "choose another one with CUDA_VISIBLE_DEVICES"},
    CuptiErrorText{3, "CUPTI_ERROR_INVALID_CONTEXT", "no CUDA context is current",
                   "check that the driver runs: nvidia-smi"},
    CuptiErrorText{7, "CUPTI_ERROR_INVALID_OPERATION", "another profiling session is active in this process",
                   "do not run hbmscope under ncu or nsys with live counters; use --counters none there"},
    CuptiErrorText{8, "CUPTI_ERROR_OUT_OF_MEMORY", "not enough memory for the counter data",
                   "use a smaller problem or free GPU memory"},
    CuptiErrorText{9, "CUPTI_ERROR_HARDWARE", "the counter hardware reported an error",
                   "reset the GPU or try again"},
    CuptiErrorText{14, "CUPTI_ERROR_NOT_COMPATIBLE", "CUPTI does not fit the driver or the chip",
                   "install a CUDA toolkit no newer than the driver supports (nvidia-smi shows it)"},
    CuptiErrorText{15, "CUPTI_ERROR_NOT_INITIALIZED",
                   "CUPTI could not start; most often libnvperf_host.so was not found beside libcupti",
                   "install the whole cuda-cupti package and add its folder to LD_LIBRARY_PATH"},
    CuptiErrorText{17, "CUPTI_ERROR_INVALID_METRIC_NAME", "the chip has no metric of this name",
                   "compare with `hbmscope list counters`"},
    CuptiErrorText{26, "CUPTI_ERROR_HARDWARE_BUSY", "the counters are in use by another profiler",
                   "stop it; for DCGM: dcgmi profile --pause (and --resume afterwards)"},
    CuptiErrorText{27, "CUPTI_ERROR_NOT_SUPPORTED", "this system or configuration has no profiling",
                   "use recorded counters"},
    CuptiErrorText{33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED",
                   "this virtual GPU (vGPU) has no profiling", kWholeGpuCure},
    CuptiErrorText{35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "this user may not read the GPU's counters",
                   kPermissionCure},
    CuptiErrorText{36, "CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED",
                   "the old CUPTI profiler is active in this process", "unset the other tool's injection"},
    CuptiErrorText{38, "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED", "this chip is too new for this CUPTI",
                   "install a newer CUDA toolkit"},
    CuptiErrorText{39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
                   "another CUPTI tool is attached to this process",
                   "do not run under nsys or another tracer"},
    CuptiErrorText{
        40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
        "profiling is switched off for this virtual GPU (vGPU)",
        "ask the host's administrator to set pciPassthru0.cfg.enable_profiling (or enable_profiling "
        "in the vGPU parameters)"},
    CuptiErrorText{41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
                   "confidential computing is on, which hides the counters",
                   "switch it off, or to devtools mode: nvidia-smi conf-compute"},
    CuptiErrorText{42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED", "mining processors (CMP) have no profiling",
                   "use another GPU"},
    CuptiErrorText{43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
                   "this is a MIG slice, and its counters cover more than the slice", kWholeGpuCure},
    CuptiErrorText{44, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED", "SLI is on", "switch SLI off"},
    CuptiErrorText{
        45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED", "this WSL configuration has no profiling",
        "allow it in the NVIDIA Control Panel (Developer, Manage GPU Performance Counters) or use Linux"},
    CuptiErrorText{46, "CUPTI_ERROR_INVALID_CHIP_NAME", "this CUPTI does not know the chip",
                   "install a newer CUDA toolkit"},
    CuptiErrorText{999, "CUPTI_ERROR_UNKNOWN",
                   "CUPTI gave no reason; without a driver or a GPU it answers so", "check nvidia-smi"},
};

}  // namespace

std::span<const CuptiErrorText> cupti_error_texts() { return kTexts; }

const CuptiErrorText* find_cupti_error(int code) {
  const auto row = std::ranges::find(kTexts, code, &CuptiErrorText::code);
  return row == kTexts.end() ? nullptr : &*row;
}

std::string cupti_error_words(std::string_view call, int code, std::string_view name) {
  const CuptiErrorText* text = find_cupti_error(code);
  if (text == nullptr) {
    return fmt::format("{}: {} ({}); no cure is known, cupti_result.h of the installed toolkit describes it",
                       call, name.empty() ? "CUPTI error" : name, code);
  }
  return fmt::format("{}: {} ({}, {}); {}", call, text->meaning, text->name, code, text->cure);
}

}  // namespace hbmscope
