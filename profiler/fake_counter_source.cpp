#include "profiler/fake_counter_source.h"

#include <array>
#include <utility>

namespace hbmscope {

FakeCounterSource::FakeCounterSource(int passes_per_set, Script script)
    : passes_per_set_(passes_per_set), script_(std::move(script)) {}

CounterReadings FakeCounterSource::measure(std::span<const Quantity> quantities, const Replay& replay) {
  CounterReadings readings;
  readings.ranges.resize(replay.ranges.size());
  for (const CounterSet set : {CounterSet::traffic, CounterSet::pipes, CounterSet::patched}) {
    if (quantities_of(set, quantities).empty()) continue;
    for (int pass = 0; pass < passes_per_set_; ++pass) {
      replay.prepare();
      const std::size_t ranges = set == CounterSet::traffic ? replay.ranges.size() : 1;
      for (std::size_t range = 0; range < ranges; ++range) replay.ranges[range].body();
    }
    readings.passes += passes_per_set_;
  }
  for (const Quantity quantity : quantities) {
    for (std::size_t range = 0; range < replay.ranges.size(); ++range) {
      const std::optional<double> value = script_(quantity, replay.ranges[range].name, calls_);
      if (value) {
        readings.ranges[range][quantity] = *value;
      } else {
        readings.absent[quantity] = "the script has no value";
      }
    }
  }
  ++calls_;
  return readings;
}

}  // namespace hbmscope
