#include "sim/l2/replay_values.h"

#include <array>
#include <optional>

namespace hbmscope {
namespace {

struct Assumable {
  std::string_view name;
  const std::optional<SourcedValue>& (*of)(const GpuSpec& gpu);
};

constexpr Assumable kWays{"ways", [](const GpuSpec& gpu) -> auto& {return gpu.l2().ways;
}  // namespace
};  // namespace hbmscope
constexpr Assumable kStretch{"stretch", [](const GpuSpec& gpu) -> auto& {return gpu.l2().stretch_bytes;
}
}
;
constexpr Assumable kDirtyShare{"dirty share", [](const GpuSpec& gpu) -> auto& {return gpu.l2().dirty_share;
}
}
;
constexpr Assumable kYounger{"rate of the younger CTA",
                             [](const GpuSpec& gpu) -> auto& {return gpu.younger_cta_rate;
}
}
;
constexpr Assumable kLone{"rate of a lone CTA", [](const GpuSpec& gpu) -> auto& {return gpu.lone_cta_rate;
}
}
;

// The only GPU on which all of them were measured.
const GpuSpec& stand_in() {
  static const GpuSpec h200 = load_gpu("h200");
  return h200;
}

double value_of(const Assumable& assumable, const GpuSpec& gpu) {
  const std::optional<SourcedValue>& own = assumable.of(gpu);
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
