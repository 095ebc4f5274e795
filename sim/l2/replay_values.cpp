#include "sim/l2/replay_values.h"

#include <array>
#include <optional>

namespace hbmscope {
namespace {

using Value = std::optional<SourcedValue>;

struct Assumable {
  std::string_view name;
  const Value& (*of)(const GpuSpec& gpu);
};

const Value& ways_of(const GpuSpec& gpu) { return gpu.l2().ways; }
const Value& stretch_of(const GpuSpec& gpu) { return gpu.l2().stretch_bytes; }
const Value& dirty_share_of(const GpuSpec& gpu) { return gpu.l2().dirty_share; }
const Value& younger_rate_of(const GpuSpec& gpu) { return gpu.younger_cta_rate; }
const Value& lone_rate_of(const GpuSpec& gpu) { return gpu.lone_cta_rate; }

constexpr Assumable kWays{"ways", ways_of};
constexpr Assumable kStretch{"stretch", stretch_of};
constexpr Assumable kDirtyShare{"dirty share", dirty_share_of};
constexpr Assumable kYounger{"rate of the younger CTA", younger_rate_of};
constexpr Assumable kLone{"rate of a lone CTA", lone_rate_of};

// The only GPU on which all of them were measured.
const GpuSpec& stand_in() {
  static const GpuSpec h200 = load_gpu("h200");
  return h200;
}

double value_of(const Assumable& assumable, const GpuSpec& gpu) {
  const Value& own = assumable.of(gpu);
  return own ? own->value : assumable.of(stand_in()).value().value;
}

}  // namespace

ReplayValues replay_values(const GpuSpec& gpu) {
  return {.ways = static_cast<Bytes>(value_of(kWays, gpu)),
          .stretch_bytes = static_cast<Bytes>(value_of(kStretch, gpu)),
          .dirty_share = value_of(kDirtyShare, gpu),
          .younger_cta_rate = value_of(kYounger, gpu),
          .lone_cta_rate = value_of(kLone, gpu)};
}

std::vector<std::string_view> assumed_values(const GpuSpec& gpu) {
  std::vector<std::string_view> names;
  for (const Assumable* assumable : {&kWays, &kStretch, &kDirtyShare, &kYounger, &kLone}) {
    if (!assumable->of(gpu)) names.push_back(assumable->name);
  }
  return names;
}

}  // namespace hbmscope
