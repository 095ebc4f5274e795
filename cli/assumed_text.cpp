#include "cli/assumed_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/l2/replay_values.h"

namespace hbmscope {
namespace {

// Which SMs a launch fills first matters where they stand on several sides of the L2.
bool guesses_sm_order(const GpuSpec& gpu) { return gpu.sm_runs.empty() && gpu.l2().instances > 1; }

// "ways, stretch as on the H200; the order of SMs as a guess"; "" if nothing is assumed.
std::string assumptions_of(const GpuSpec& gpu) {
  std::string text;
  const std::vector<std::string_view> values = assumed_values(gpu);
  if (!values.empty()) text = fmt::format("{} as on the H200", fmt::join(values, ", "));
  if (guesses_sm_order(gpu)) {
    text += text.empty() ? "" : "; ";
    text += "the order of SMs by a guess";
  }
  return text;
}

}  // namespace

std::string assumed_text(std::span<const GpuSpec> gpus) {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> groups;  // assumptions, GPUs
  for (const GpuSpec& gpu : gpus) {
    std::string assumptions = assumptions_of(gpu);
    if (assumptions.empty()) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& other) { return other.first == assumptions; });
    if (group == groups.end()) {
      group = groups.emplace(groups.end(), std::move(assumptions), std::vector<std::string_view>{});
    }
    group->second.push_back(gpu.name);
  }
  std::string text;
  for (const auto& [assumptions, names] : groups) {
    text += fmt::format("not measured on {}, replayed with: {} (hbmscope calibrate measures a GPU)\n",
                        fmt::join(names, ", "), assumptions);
  }
  return text;
}

std::string assumed_text(const PointList& points) {
  return points.replays() ? assumed_text(points.gpus()) : "";
}

}  // namespace hbmscope
