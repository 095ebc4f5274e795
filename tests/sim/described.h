#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/error.h"

// Descriptions in TOML of which a test spoils a part.
namespace hbmscope::test {

inline std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string spoilt(text);
  const std::size_t at = spoilt.find(what);
  if (at == std::string::npos) throw std::logic_error("the test replaces what is not there");
  return spoilt.replace(at, what.size(), by);
}

// What the error says that `action` ends with; "" if it ends well.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace hbmscope::test
