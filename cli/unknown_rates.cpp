#include "cli/unknown_rates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/roofline.h"

namespace hbmscope {
namespace {

// "h100-sxm", or "t4 (bf16)" of tensor cores, which have a rate for each type; "" if the rate is known.
std::string missing_on(const GpuSpec& gpu, std::span<const DataType> dtypes, std::size_t roof) {
  std::vector<std::string_view> missing;
  for (const DataType dtype : dtypes) {
    if (!roofs_of(gpu, dtype)[roof]) missing.push_back(to_string(dtype));
  }
  if (missing.empty()) return "";
  if (static_cast<Roof>(roof) != Roof::tensor) return gpu.name;
  return fmt::format("{} ({})", gpu.name, fmt::join(missing, ", "));
}

}  // namespace

std::string unknown_rates(std::span<const GpuSpec> gpus, std::span<const DataType> dtypes) {
  std::vector<std::string> parts;
  for (std::size_t roof = 0; roof < kRoofs; ++roof) {
    std::vector<std::string> places;
    for (const GpuSpec& gpu : gpus) {
      std::string place = missing_on(gpu, dtypes, roof);
      if (!place.empty()) places.push_back(std::move(place));
    }
    if (!places.empty())
      parts.push_back(fmt::format("{} on {}", to_string(static_cast<Roof>(roof)), fmt::join(places, ", ")));
  }
  if (parts.empty()) return "";
  return fmt::format("left out of the times: {}: the rate is not known\n", fmt::join(parts, "; "));
}

}  // namespace hbmscope
