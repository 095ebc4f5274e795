#include "sim/toml_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hbmscope {
namespace {

// A string of TOML with what must be escaped.
std::string quoted(const std::string& text) {
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

}  // namespace

void TomlText::line(std::string_view text) { text_ += fmt::format("{}\n", text); }

void TomlText::put(std::string_view key, const std::string& value) {
  text_ += fmt::format("{} = {}\n", key, quoted(value));
}

void TomlText::put(std::string_view key, std::int64_t value) {
  text_ += fmt::format("{} = {}\n", key, value);
}

void TomlText::put(std::string_view key, const SourcedValue& value) {
  text_ += fmt::format("{} = {{ value = {}, source = {}{} }}\n", key, value.value, quoted(value.source),
                       value.measured ? ", measured = true" : "");
}

void TomlText::put(std::string_view key, const std::vector<std::int64_t>& values) {
  if (!values.empty()) text_ += fmt::format("{} = [{}]\n", key, fmt::join(values, ", "));
}

}  // namespace hbmscope
