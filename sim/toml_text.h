#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu.h"

namespace hbmscope {

// Writes a description as configs/ has it; what is absent has no key.
class TomlText {
 public:
  // A line as it is: "[limits]", "# a comment", "".
  void line(std::string_view text);
  void put(std::string_view key, const std::string& value);  // quoted
  void put(std::string_view key, std::int64_t value);
  // Numbers as short as they can be read back without rounding.
  void put(std::string_view key, const SourcedValue& value);
  void put(std::string_view key, const std::vector<std::int64_t>& values);  // no key if there are none
  template <class T>
  void put(std::string_view key, const std::optional<T>& value) {
    if (value) put(key, *value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace hbmscope
