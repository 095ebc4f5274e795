#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/device.h"
#include "profiler/counter_source.h"
#include "profiler/cupti_ranges.h"

namespace hbmscope {

// Counters of a real GPU. Each counter set has a configuration of its own and is replayed separately; a set
// that fails makes its quantities absent and the others are still read.
class CuptiCounterSource : public CounterSource {
 public:
  // Throws UserError with the cure if this GPU's counters cannot be used. `device` must outlive the source.
  explicit CuptiCounterSource(const Device& device);
  ~CuptiCounterSource() override;
  CounterReadings measure(std::span<const Quantity> quantities, const Replay& replay) override;

 private:
  struct SetPlan;
  const SetPlan& plan_for(const std::vector<Quantity>& quantities);
  void measure_set(const std::vector<Quantity>& quantities, const Replay& replay, CounterReadings& readings);

  CuptiRangeSession session_;
  std::map<std::vector<Quantity>, std::unique_ptr<SetPlan>> plans_;
};

}  // namespace hbmscope
