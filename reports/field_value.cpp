#include "reports/field_value.h"

#include <array>
#include <charconv>
#include <cmath>

namespace hbmscope {
namespace {

template <class Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> digits{};  // the longest double has 24
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

template <class Number>
std::optional<FieldValue> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

FieldValue written_value(const Field& field, const Record& record) {
  FieldValue value = field.get(record);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr && !std::isfinite(*real) ? FieldValue{} : value;
}

void append_value(std::string& text, const FieldValue& value) {
  if (const auto* bytes = std::get_if<std::uint64_t>(&value)) append_number(text, *bytes);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) append_number(text, *integer);
  if (const auto* real = std::get_if<double>(&value)) append_number(text, *real);
  if (const auto* boolean = std::get_if<bool>(&value)) text += *boolean ? '1' : '0';
  if (const auto* words = std::get_if<std::string>(&value)) text += *words;
}

std::optional<FieldValue> parse_value(FieldType type, std::string_view text) {
  if (text.empty()) return FieldValue{};
  switch (type) {
    case FieldType::bytes:
      return parse_number<std::uint64_t>(text);
    case FieldType::integer:
      return parse_number<std::int64_t>(text);
    case FieldType::real: {
      std::optional<FieldValue> value = parse_number<double>(text);
      if (value && !std::isfinite(std::get<double>(*value))) return std::nullopt;
      return value;
    }
    case FieldType::boolean:
      if (text != "0" && text != "1") return std::nullopt;
      return text == "1";
    case FieldType::text:
      return std::string(text);
  }
  return std::nullopt;
}

}  // namespace hbmscope
