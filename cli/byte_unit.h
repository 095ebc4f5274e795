#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hbmscope {

// The decimal unit of a table's byte columns: GB = 10^9, MB = 10^6, kB = 10^3. What stands in the heading is
// what was divided by.
struct ByteUnit {
  const char* name = "GB";
  double bytes = 1e9;

  // Three decimals; "<0.001" for what would read as zero and is not.
  std::string text(std::uint64_t value) const;
  // "-" for an absent value.
  std::string text(const std::optional<std::uint64_t>& value) const;
};

// GB unless the largest value would have no more than its decimals.
ByteUnit unit_for(std::uint64_t largest);

// "+0.02", in percent; "-" for an absent error.
std::string percent_text(const std::optional<double>& error);

}  // namespace hbmscope
