#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profiler/counter_source.h"

namespace hbmscope {

// Scripted counters: replays as the real source does, `passes_per_set` times per counter set, and takes
// values from `script`.
class FakeCounterSource : public CounterSource {
 public:
  // `call` counts calls of measure() from 0; an absent value becomes an absent counter.
  using Script = std::function<std::optional<double>(Quantity quantity, const std::string& range, int call)>;

  FakeCounterSource(int passes_per_set, Script script);
  CounterReadings measure(std::span<const Quantity> quantities, const Replay& replay) override;

 private:
  int passes_per_set_;
  Script script_;
  int calls_ = 0;
};

}  // namespace hbmscope
