#include "cli/byte_unit.h"

#include <fmt/format.h>

namespace hbmscope {

std::string ByteUnit::text(std::uint64_t value) const {
  const double scaled = static_cast<double>(value) / bytes;
  if (value != 0 && scaled < 0.0005) return "<0.001";
  return fmt::format("{:.3f}", scaled);
}

std::string ByteUnit::text(const std::optional<std::uint64_t>& value) const {
  return value ? text(*value) : "-";
}

ByteUnit unit_for(std::uint64_t largest) {
  if (largest >= 1'000'000'000 / 10) return {"GB", 1e9};
  if (largest >= 1'000'000 / 10) return {"MB", 1e6};
  return {"kB", 1e3};
}

std::string percent_text(const std::optional<double>& error) {
  return error ? fmt::format("{:+.2f}", *error * 100) : "-";
}

}  // namespace hbmscope
