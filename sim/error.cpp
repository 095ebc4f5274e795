#include "sim/error.h"

#include <fmt/format.h>

#include <utility>

namespace hbmscope {

UserError::UserError(std::string input, std::string value, std::string accepted)
    : std::runtime_error(value.empty() ? fmt::format("{}: {}", input, accepted)
                                       : fmt::format("{}: '{}' is not accepted; {}", input, value, accepted)),
      input_(std::move(input)),
      value_(std::move(value)),
      accepted_(std::move(accepted)) {}

CountOverflow::CountOverflow(std::string count)
    : PointError(std::move(count), "", "the count exceeds 64 bits (2^64 - 1); use smaller sizes") {}

}  // namespace hbmscope
