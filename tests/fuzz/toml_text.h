#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sim/gpu.h"

namespace hbmscope::fuzz {

// A string of TOML with what must be escaped.
inline std::string quoted(const std::string& text) {
  std::string toml = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      toml += '\\';
      toml += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      toml += fmt::format("\\u{:04x}", byte);
    } else {
      toml += c;
    }
  }
  return toml + '"';
}

// Writes a description as configs/ has it; what is absent has no key.
class TomlText {
 public:
  void heading(const char* name) { text_ += fmt::format("{}\n", name); }
  void put(const char* key, const std::string& value) {
    text_ += fmt::format("{} = {}\n", key, quoted(value));
  }
  void put(const char* key, std::int64_t value) { text_ += fmt::format("{} = {}\n", key, value); }
  void put(const char* key, const SourcedValue& value) {
    text_ += fmt::format("{} = {{ value = {:.17e}, source = {}, measured = {} }}\n", key, value.value,
                         quoted(value.source), value.measured);
  }
  template <class T>
  void put(const char* key, const std::optional<T>& value) {
    if (value) put(key, *value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace hbmscope::fuzz
