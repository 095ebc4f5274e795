#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <stdexcept>
#include <string>

namespace hbmscope {

//   X(member, function)
#define HBMSCOPE_CUPTI_FUNCTIONS(X)                                              \
  X(get_version, cuptiGetVersion)                                                \
  X(get_result_string, cuptiGetResultString)                                     \
  X(get_chip_name, cuptiDeviceGetChipName)                                       \
  X(profiler_initialize, cuptiProfilerInitialize)                                \
  X(profiler_deinitialize, cuptiProfilerDeInitialize)                            \
  X(device_supported, cuptiProfilerDeviceSupported)                              \
  X(get_counter_availability, cuptiProfilerGetCounterAvailability)               \
  X(host_initialize, cuptiProfilerHostInitialize)                                \
  X(host_deinitialize, cuptiProfilerHostDeinitialize)                            \
  X(host_get_supported_chips, cuptiProfilerHostGetSupportedChips)                \
  X(host_get_base_metrics, cuptiProfilerHostGetBaseMetrics)                      \
  X(host_config_add_metrics, cuptiProfilerHostConfigAddMetrics)                  \
  X(host_get_config_image_size, cuptiProfilerHostGetConfigImageSize)             \
  X(host_get_config_image, cuptiProfilerHostGetConfigImage)                      \
  X(host_get_num_of_passes, cuptiProfilerHostGetNumOfPasses)                     \
  X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues)                         \
  X(range_enable, cuptiRangeProfilerEnable)                                      \
  X(range_disable, cuptiRangeProfilerDisable)                                    \
  X(range_get_counter_data_size, cuptiRangeProfilerGetCounterDataSize)           \
  X(range_counter_data_initialize, cuptiRangeProfilerCounterDataImageInitialize) \
  X(range_set_config, cuptiRangeProfilerSetConfig)                               \
  X(range_start, cuptiRangeProfilerStart)                                        \
  X(range_stop, cuptiRangeProfilerStop)                                          \
  X(range_push, cuptiRangeProfilerPushRange)                                     \
  X(range_pop, cuptiRangeProfilerPopRange)                                       \
  X(range_decode, cuptiRangeProfilerDecodeData)                                  \
  X(range_get_counter_data_info, cuptiRangeProfilerGetCounterDataInfo)           \
  X(range_get_range_info, cuptiRangeProfilerCounterDataGetRangeInfo)

struct CuptiApi {
#define HBMSCOPE_DECLARE(member, function) decltype(&function) member = nullptr;
  HBMSCOPE_CUPTI_FUNCTIONS(HBMSCOPE_DECLARE)
#undef HBMSCOPE_DECLARE
};

// Counters could not be read. Not the user's input: the counters concerned become absent with what() as
// reason.
class CounterError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A CUPTI call that failed; what() is cupti_error_words().
class CuptiError : public CounterError {
 public:
  CuptiError(const char* call, CUptiResult result);
  CUptiResult result() const { return result_; }

 private:
  CUptiResult result_;
};

// Opens libcupti (CUDA 12.6 or newer) on first use; needs neither GPU nor driver. Throws UserError saying
// where it was looked for, or that it is too old.
const CuptiApi& cupti();

// The file that was opened, and its API version (CUPTI's numbering: 24 = CUDA 12.6, 130000 = CUDA 13.0).
std::string cupti_path();
unsigned cupti_version();

// "CUPTI_ERROR_HARDWARE_BUSY", as the library itself names it; empty for a code that it does not know.
std::string cupti_result_name(CUptiResult result);

void check_cupti(CUptiResult result, const char* call);

// CUPTI's parameter structs start with their size.
template <class Params>
Params cupti_params(std::size_t struct_size) {
  Params params{};
  params.structSize = struct_size;
  return params;
}
#define HBMSCOPE_CUPTI_PARAMS(type) ::hbmscope::cupti_params<type>(type##_STRUCT_SIZE)

}  // namespace hbmscope
