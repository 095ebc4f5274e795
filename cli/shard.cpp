#include "cli/shard.h"

#include <fmt/format.h>

#include "cli/axis.h"
#include "sim/error.h"

namespace hbmscope {

Shard parse_shard(std::string_view text) {
  constexpr std::string_view kOption = "--shard";
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw UserError(std::string(kOption), std::string(text), "expected i/n, such as 1/4: the first of four");
  }
  constexpr NumberRange kCounts{1, static_cast<std::int64_t>(kLargestPointCount)};
  const std::int64_t count = parse_number(kOption, text.substr(slash + 1), kCounts);
  const std::int64_t number = parse_number(kOption, text.substr(0, slash), {1, count});
  return {static_cast<std::size_t>(number), static_cast<std::size_t>(count)};
}

std::string to_string(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

PointRange range_of(const Shard& shard, std::size_t points) {
  if (shard.count > points) {
    throw UserError("--shard", to_string(shard),
                    fmt::format("expected at most {} shards, one for each point", points));
  }
  // Neither factor exceeds kLargestPointCount, about 2^23.
  return {points * (shard.number - 1) / shard.count, points * shard.number / shard.count};
}

}  // namespace hbmscope
