#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "reports/run_info.h"
#include "sim/gpu.h"
#include "sim/predict.h"

namespace hbmscope {

// --counters: where the measured bytes of `validate` come from.
enum class CounterMode : std::uint8_t {
  automatic,  // live where this GPU's counters can be read, else recorded
  live,       // a counter that cannot be read is absent
  required,   // live, and a counter that cannot be read fails the point
  recorded,
  none,  // run, check and time, count nothing
};
// Throws UserError (--counters).
CounterMode parse_counter_mode(std::string_view text);

// Fills in what was measured of a predicted, feasible point whose program is `program`.
class Measurements {
 public:
  virtual ~Measurements() = default;
  // False if the point was not tried, because an earlier one left the GPU unusable: its record says so.
  virtual bool fill(const Program& program, Record& record) = 0;
  // Adds what it knows of the machine.
  virtual void describe(RunInfo& run) const = 0;
  // Whether other work of this machine would disturb it.
  virtual bool wants_idle_cpu() const { return true; }
};

// Throws UserError if the mode wants a GPU that is not there or is not the one that `gpus` describe; `auto`
// then takes recorded rows and says why on standard error. Those are the file's, or built-in ones if it is
// "".
std::unique_ptr<Measurements> open_measurements(CounterMode mode, const std::vector<GpuSpec>& gpus,
                                                const std::string& recorded_file, const Terminal& terminal);

}  // namespace hbmscope
