#include "profiler/cupti_ranges.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "profiler/cupti_library.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

class ProfilerLibrary {
 public:
  ProfilerLibrary() {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params);
    check_cupti(cupti().profiler_initialize(&params), "cuptiProfilerInitialize");
  }
  ~ProfilerLibrary() {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params);
    cupti().profiler_deinitialize(&params);
  }
  ProfilerLibrary(const ProfilerLibrary&) = delete;
  ProfilerLibrary& operator=(const ProfilerLibrary&) = delete;
};

// What the device check says, as the result code that explains it; CUPTI_SUCCESS if profiling works.
CUptiResult unsupported_reason(const CUpti_Profiler_DeviceSupported_Params& support) {
  const auto works = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_SUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_UNKNOWN;
  };
  if (support.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return CUPTI_SUCCESS;
  if (support.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
    return CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
  }
  if (!works(support.vGpu)) return CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
  if (!works(support.confidentialCompute)) return CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED;
  if (!works(support.wsl)) return CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED;
  if (!works(support.cmp)) return CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED;
  if (!works(support.sli)) return CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED;
  return CUPTI_ERROR_NOT_SUPPORTED;
}

void check_device_supported(CUdevice device) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  check_cupti(cupti().device_supported(&params), "cuptiProfilerDeviceSupported");
  check_cupti(unsupported_reason(params), "cuptiProfilerDeviceSupported");
}

std::string chip_of(int ordinal) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params);
  params.deviceIndex = static_cast<std::size_t>(ordinal);
  check_cupti(cupti().get_chip_name(&params), "cuptiDeviceGetChipName");
  return params.pChipName;
}

std::string checked_chip_of(const Device& device) {
  check_device_supported(device.handle());
  return chip_of(device.ordinal());
}

std::vector<std::uint8_t> availability_of(CUcontext context) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
  params.ctx = context;
  check_cupti(cupti().get_counter_availability(&params), "cuptiProfilerGetCounterAvailability");
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check_cupti(cupti().get_counter_availability(&params), "cuptiProfilerGetCounterAvailability");
  return image;
}

// A call that takes nothing but the range profiler object.
template <class Params, class Function>
void call(Function function, std::size_t size, CUpti_RangeProfiler_Object* object, const char* name) {
  auto params = cupti_params<Params>(size);
  params.pRangeProfilerObject = object;
  check_cupti(function(&params), name);
}
#define HBMSCOPE_RANGE_CALL(member, type, object, name) \
  call<type>(cupti().member, type##_STRUCT_SIZE, object, name)

// start … stop around one pass. Stops on every way out, so that a failed launch leaves no open session.
class Pass {
 public:
  explicit Pass(CUpti_RangeProfiler_Object* object) : object_(object) {
    HBMSCOPE_RANGE_CALL(range_start, CUpti_RangeProfiler_Start_Params, object_, "cuptiRangeProfilerStart");
  }
  ~Pass() {
    if (open_range_) {
      auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params);
      params.pRangeProfilerObject = object_;
      cupti().range_pop(&params);
    }
    if (running_) stop_quietly();
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  void count(const CountedRange& range) {
    auto push = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params);
    push.pRangeProfilerObject = object_;
    push.pRangeName = range.name.c_str();
    check_cupti(cupti().range_push(&push), "cuptiRangeProfilerPushRange");
    open_range_ = true;
    range.body();
    check(driver().ctx_synchronize(), "cuCtxSynchronize");
    open_range_ = false;
    HBMSCOPE_RANGE_CALL(range_pop, CUpti_RangeProfiler_PopRange_Params, object_,
                        "cuptiRangeProfilerPopRange");
  }

  bool stop() {
    running_ = false;
    auto params = stop_quietly();
    check_cupti(params.second, "cuptiRangeProfilerStop");
    return params.first.isAllPassSubmitted != 0;
  }

 private:
  std::pair<CUpti_RangeProfiler_Stop_Params, CUptiResult> stop_quietly() {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params);
    params.pRangeProfilerObject = object_;
    const CUptiResult result = cupti().range_stop(&params);
    return {params, result};
  }

  CUpti_RangeProfiler_Object* object_;
  bool running_ = true;
  bool open_range_ = false;
};

// Where the passes' counters land.
class CounterData {
 public:
  CounterData(CUpti_RangeProfiler_Object* object, const MetricPlan& plan, std::size_t ranges) {
    std::vector<const char*> names;
    for (const std::string& metric : plan.metrics()) names.push_back(metric.c_str());
    auto size = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = object;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    check_cupti(cupti().range_get_counter_data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    image_.resize(size.counterDataSize);

    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    params.pRangeProfilerObject = object;
    params.counterDataSize = image_.size();
    params.pCounterData = image_.data();
    check_cupti(cupti().range_counter_data_initialize(&params),
                "cuptiRangeProfilerCounterDataImageInitialize");
  }

  std::vector<std::uint8_t>& image() { return image_; }

  // Index by name of every range that was collected.
  std::map<std::string, std::size_t> ranges() const {
    auto info = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
    info.pCounterDataImage = image_.data();
    info.counterDataImageSize = image_.size();
    check_cupti(cupti().range_get_counter_data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    std::map<std::string, std::size_t> result;
    for (std::size_t index = 0; index < info.numTotalRanges; ++index) {
      auto range = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
      range.pCounterDataImage = image_.data();
      range.counterDataImageSize = image_.size();
      range.rangeIndex = index;
      range.rangeDelimiter = "/";
      check_cupti(cupti().range_get_range_info(&range), "cuptiRangeProfilerCounterDataGetRangeInfo");
      result[range.rangeName] = index;
    }
    return result;
  }

 private:
  std::vector<std::uint8_t> image_;
};

void set_config(CUpti_RangeProfiler_Object* object, const MetricPlan& plan, CounterData& data,
                std::size_t ranges) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
  params.pRangeProfilerObject = object;
  params.configSize = plan.config_image().size();
  params.pConfig = plan.config_image().data();
  params.counterDataImageSize = data.image().size();
  params.pCounterDataImage = data.image().data();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = ranges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.targetNestingLevel = 1;
  params.passIndex = 0;
  check_cupti(cupti().range_set_config(&params), "cuptiRangeProfilerSetConfig");
}

CUpti_RangeProfiler_Object* enable(CUcontext context) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params);
  params.ctx = context;
  check_cupti(cupti().range_enable(&params), "cuptiRangeProfilerEnable");
  return params.pRangeProfilerObject;
}

// True once every pass of the configuration has been submitted. `prepare` runs after the start, so that
// nothing that CUPTI does to set up a pass comes between the clean L2 and the first range.
bool run_pass(CUpti_RangeProfiler_Object* object, const Replay& replay) {
  Pass pass(object);
  replay.prepare();
  check(driver().ctx_synchronize(), "cuCtxSynchronize");
  for (const CountedRange& range : replay.ranges) pass.count(range);
  return pass.stop();
}

void decode(CUpti_RangeProfiler_Object* object) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
  params.pRangeProfilerObject = object;
  check_cupti(cupti().range_decode(&params), "cuptiRangeProfilerDecodeData");
  if (params.numOfRangeDropped != 0) {
    throw CounterError(fmt::format("CUPTI dropped {} ranges", params.numOfRangeDropped));
  }
}

}  // namespace

struct CuptiRangeSession::State {
  ProfilerLibrary library;
  CuptiHost host;
  CUcontext context;
  CUpti_RangeProfiler_Object* object = nullptr;
  const MetricPlan* configured = nullptr;
  bool cut_short = false;

  explicit State(const Device& device)
      : host(checked_chip_of(device), availability_of(device.context())),
        context(device.context()),
        object(enable(context)) {}
  ~State() { disable(); }
  void disable() const {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params);
    params.pRangeProfilerObject = object;
    cupti().range_disable(&params);
  }
  // An enabled profiler keeps its first configuration's passes: a second one reads nothing (seen on GH100,
  // CUPTI 13.0). So another plan starts from a fresh one, and so does the one after a pass that a failed
  // launch has cut short.
  void prepare_for(const MetricPlan& plan) {
    if ((configured != nullptr && configured != &plan) || cut_short) {
      disable();
      object = enable(context);
    }
    configured = &plan;
    cut_short = true;  // until measure() has come to its end
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

CuptiRangeSession::CuptiRangeSession(const Device& device) {
  try {
    state_ = std::make_unique<State>(device);
  } catch (const CuptiError& error) {
    throw UserError("live counters", "", fmt::format("{}; or use --counters recorded or none", error.what()));
  }
}

CuptiRangeSession::~CuptiRangeSession() = default;

const CuptiHost& CuptiRangeSession::host() const { return state_->host; }

RangeValues CuptiRangeSession::measure(const MetricPlan& plan, const Replay& replay) {
  state_->prepare_for(plan);
  CounterData data(state_->object, plan, replay.ranges.size());
  set_config(state_->object, plan, data, replay.ranges.size());
  // With several ranges CUPTI may ask for more passes than the host half announced (seen on GH100, 13.0).
  const std::size_t most_passes = 4 * plan.passes() * replay.ranges.size();
  bool all_submitted = false;
  RangeValues result;
  while (!all_submitted && result.passes < static_cast<int>(most_passes)) {
    all_submitted = run_pass(state_->object, replay);
    ++result.passes;
  }
  if (!all_submitted) {
    throw CounterError(
        fmt::format("CUPTI announced {} passes and was not done after {}", plan.passes(), result.passes));
  }
  decode(state_->object);

  const std::map<std::string, std::size_t> indices = data.ranges();
  for (const CountedRange& range : replay.ranges) {
    const auto found = indices.find(range.name);
    if (found == indices.end()) throw CounterError("CUPTI returned no range " + range.name);
    result.values.push_back(plan.evaluate(data.image(), found->second));
  }
  state_->cut_short = false;
  return result;
}

}  // namespace hbmscope
