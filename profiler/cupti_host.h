#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// Metrics made ready for one chip: the configuration that the counters are loaded with and how many passes it
// takes. Evaluates what a range profiler collected with it.
class MetricPlan {
 public:
  ~MetricPlan();
  MetricPlan(MetricPlan&&) noexcept;
  MetricPlan& operator=(MetricPlan&&) noexcept;

  const std::vector<std::string>& metrics() const;
  std::size_t passes() const;
  std::span<const std::uint8_t> config_image() const;

  // One value per metric for range `range` of a decoded counter data image. A value may be NaN: not
  // collected.
  std::vector<double> evaluate(std::span<const std::uint8_t> counter_data, std::size_t range) const;

 private:
  friend class CuptiHost;
  struct State;
  explicit MetricPlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The host half of CUPTI's profiler, for one chip ("GH100"). Works without a GPU and without a driver.
class CuptiHost {
 public:
  // `availability` is the counter availability image of a real GPU, empty for the chip as such. Throws
  // UserError without libcupti, CuptiError for a chip that it does not know.
  explicit CuptiHost(std::string chip, std::vector<std::uint8_t> availability = {});

  const std::string& chip() const { return chip_; }
  // With its rollup: "dram__bytes_read.sum".
  bool has_metric(std::string_view metric) const;
  // Throws CuptiError if the chip cannot collect one of them.
  MetricPlan plan(const std::vector<std::string>& metrics) const;

 private:
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::vector<std::string> base_metrics_;  // sorted
};

// The chips that the installed CUPTI knows.
std::vector<std::string> cupti_chips();

}  // namespace hbmscope
