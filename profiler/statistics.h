#pragma once

#include <optional>
#include <span>

namespace hbmscope {

// Middle value, or the mean of the two middle ones; absent for no values.
std::optional<double> median(std::span<const double> values);

// (max - min) / median; absent for fewer than two values or a median of zero.
std::optional<double> spread(std::span<const double> values);

}  // namespace hbmscope
