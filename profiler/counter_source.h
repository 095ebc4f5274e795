#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiler/metrics.h"

namespace hbmscope {

// A stretch of GPU work that is counted on its own.
struct CountedRange {
  std::string name;
  std::function<void()> body;  // submits work; the source waits for it
};

// What a counter source runs once per pass: `prepare` outside of any range, then each range in turn. Counters
// of different passes only belong together if every pass starts from the same state, so `prepare` restores
// it.
struct Replay {
  std::function<void()> prepare;
  std::vector<CountedRange> ranges;
};

// What was read. A quantity without a value is in `absent` with the reason; nothing is ever 0 for "not read".
struct CounterReadings {
  // As in Replay::ranges. Traffic is read for every range, what happens inside the SMs for the first only.
  std::vector<std::map<Quantity, double>> ranges;
  std::map<Quantity, std::string> absent;
  int passes = 0;  // how often the replay ran
};

// Where counters come from: CUPTI, or a script in a test.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  // Exceptions of the replay's own callables pass through; a counter that fails only makes itself absent.
  virtual CounterReadings measure(std::span<const Quantity> quantities, const Replay& replay) = 0;
};

// The quantities of one set, in the order given. Sets never share a pass.
std::vector<Quantity> quantities_of(CounterSet set, std::span<const Quantity> quantities);

}  // namespace hbmscope
