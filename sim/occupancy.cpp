#include "sim/occupancy.h"

#include <fmt/format.h>

#include "sim/loops.h"
#include "sim/units.h"

namespace hbmscope {

Occupancy occupancy_of(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  const SmLimits& limits = gpu.limits;
  Occupancy occupancy;
  occupancy.ctas = launch.persistent_ctas > 0 ? launch.persistent_ctas : grid_size(launch, program);
  const auto limit_to = [&](std::int64_t ctas, std::string_view by) {
    if (occupancy.limited_by.empty() || ctas < occupancy.ctas_per_sm) {
      occupancy.ctas_per_sm = ctas;
      occupancy.limited_by = by;
    }
  };
  limit_to(limits.ctas_per_sm, "CTAs per SM");
  limit_to(limits.threads_per_sm / launch.threads, "threads");
  const std::int64_t shared_bytes = launch.shared_bytes + limits.shared_bytes_reserved;
  if (shared_bytes > 0) limit_to(limits.shared_bytes_per_sm / shared_bytes, "shared memory");
  limit_to(launch.ctas_per_sm, "launch bounds");
  if (occupancy.ctas_per_sm > 0) {
    occupancy.waves =
        static_cast<double>(occupancy.ctas) / static_cast<double>(occupancy.ctas_per_sm * gpu.sms);
  }
  return occupancy;
}

std::string launch_limit(const Launch& launch, const GpuSpec& gpu) {
  const SmLimits& limits = gpu.limits;
  if (launch.threads > limits.threads_per_cta) {
    return fmt::format("{} needs {} threads per CTA, {} allows {}", launch.name, launch.threads, gpu.name,
                       limits.threads_per_cta);
  }
  if (launch.shared_bytes > limits.shared_bytes_per_cta) {
    return fmt::format("{} needs {} bytes of shared memory per CTA, {} allows {}", launch.name,
                       launch.shared_bytes, gpu.name, limits.shared_bytes_per_cta);
  }
  return "";
}

}  // namespace hbmscope
