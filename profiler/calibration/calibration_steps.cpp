#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/calibration/calibrate.h"
#include "sim/error.h"

namespace hbmscope {

const std::vector<CalibrationStep>& calibration_steps() {
  static const std::vector<CalibrationStep> steps{
      {"sides", "on which side of the L2 each SM is, and the latencies of near, far and DRAM", {}},
      {"homes", "which address bits say where a line is homed", {"sides"}},
      {"order", "in which order launches fill the SMs", {"sides"}},
      {"states", "where lines are after reads and writes by either side", {"sides"}},
      {"sets", "ways, sets and replacement of the L2", {"sides"}},
      {"rows", "how consecutive memory meets the sets of the L2", {"sides", "homes", "sets"}},
      {"writes", "how many lines of a set of the L2 may be dirty", {"sides"}},
      {"rates", "HBM, L2, shared memory, tensor cores, exponentials, launches", {}},
      {"ctas", "how two CTAs share an SM", {}},
      {"patterns", "DRAM bytes of rings, streams and written lines, by counters", {}},
  };
  return steps;
}

std::vector<std::string_view> chosen_steps(const std::vector<std::string>& only) {
  std::vector<std::string_view> all;
  for (const CalibrationStep& step : calibration_steps()) all.push_back(step.name);
  if (only.empty()) return all;
  std::vector<std::string_view> wanted;
  for (const std::string& name : only) {
    const auto found = std::ranges::find(calibration_steps(), name, &CalibrationStep::name);
    if (found == calibration_steps().end())
      throw UserError("--only", name, fmt::format("expected some of {}", fmt::join(all, ", ")));
    wanted.push_back(found->name);
    wanted.insert(wanted.end(), found->needs.begin(), found->needs.end());
  }
  std::erase_if(all, [&](std::string_view name) { return std::ranges::find(wanted, name) == wanted.end(); });
  return all;
}

}  // namespace hbmscope
