#include "profiler/cupti_host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "profiler/cupti_library.h"

namespace hbmscope {
namespace {

class HostObject {
 public:
  HostObject(const std::string& chip, const std::vector<std::uint8_t>& availability) {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    check_cupti(cupti().host_initialize(&params), "cuptiProfilerHostInitialize");
    object_ = params.pHostObject;
  }
  ~HostObject() {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
    params.pHostObject = object_;
    cupti().host_deinitialize(&params);
  }
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }

 private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (const std::string& name : names) result.push_back(name.c_str());
  return result;
}

void add_metrics(CUpti_Profiler_Host_Object* host, const std::vector<std::string>& metrics) {
  auto names = pointers(metrics);
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  params.pHostObject = host;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  check_cupti(cupti().host_config_add_metrics(&params), "cuptiProfilerHostConfigAddMetrics");
}

std::vector<std::uint8_t> config_image_of(CUpti_Profiler_Host_Object* host) {
  auto size = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = host;
  check_cupti(cupti().host_get_config_image_size(&size), "cuptiProfilerHostGetConfigImageSize");
  std::vector<std::uint8_t> image(size.configImageSize);
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
  params.pHostObject = host;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check_cupti(cupti().host_get_config_image(&params), "cuptiProfilerHostGetConfigImage");
  return image;
}

std::size_t count_passes(std::vector<std::uint8_t>& image) {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check_cupti(cupti().host_get_num_of_passes(&params), "cuptiProfilerHostGetNumOfPasses");
  return params.numOfPasses;
}

}  // namespace

struct MetricPlan::State {
  HostObject host;
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  std::size_t passes = 0;
};

MetricPlan::MetricPlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
MetricPlan::~MetricPlan() = default;
MetricPlan::MetricPlan(MetricPlan&&) noexcept = default;
MetricPlan& MetricPlan::operator=(MetricPlan&&) noexcept = default;

const std::vector<std::string>& MetricPlan::metrics() const { return state_->metrics; }
std::size_t MetricPlan::passes() const { return state_->passes; }
std::span<const std::uint8_t> MetricPlan::config_image() const { return state_->image; }

std::vector<double> MetricPlan::evaluate(std::span<const std::uint8_t> counter_data,
                                         std::size_t range) const {
  auto names = pointers(state_->metrics);
  std::vector<double> values(names.size());
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  params.pHostObject = state_->host.get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  check_cupti(cupti().host_evaluate(&params), "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

CuptiHost::CuptiHost(std::string chip, std::vector<std::uint8_t> availability)
    : chip_(std::move(chip)), availability_(std::move(availability)) {
  const HostObject host(chip_, availability_);
  for (const CUpti_MetricType type :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params);
    params.pHostObject = host.get();
    params.metricType = type;
    check_cupti(cupti().host_get_base_metrics(&params), "cuptiProfilerHostGetBaseMetrics");
    base_metrics_.insert(base_metrics_.end(), params.ppMetricNames, params.ppMetricNames + params.numMetrics);
  }
  std::ranges::sort(base_metrics_);
}

bool CuptiHost::has_metric(std::string_view metric) const {
  constexpr std::array<std::string_view, 4> kRollups{".sum", ".avg", ".min", ".max"};
  const std::size_t dot = metric.find('.');
  if (dot == std::string_view::npos) return false;
  return std::ranges::find(kRollups, metric.substr(dot)) != kRollups.end() &&
         std::ranges::binary_search(base_metrics_, metric.substr(0, dot));
}

MetricPlan CuptiHost::plan(const std::vector<std::string>& metrics) const {
  // make_unique cannot fill an aggregate, and HostObject cannot move.
  std::unique_ptr<MetricPlan::State> state(
      new MetricPlan::State{HostObject(chip_, availability_), metrics, {}, 0});
  add_metrics(state->host.get(), metrics);
  state->image = config_image_of(state->host.get());
  state->passes = count_passes(state->image);
  return MetricPlan(std::move(state));
}

std::vector<std::string> cupti_chips() {
  auto params = HBMSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params);
  check_cupti(cupti().host_get_supported_chips(&params), "cuptiProfilerHostGetSupportedChips");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

}  // namespace hbmscope
