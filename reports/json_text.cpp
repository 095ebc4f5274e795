#include "reports/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::size_t kDeepestNesting = 64;  // a file of ours has four levels

// Notices what the parser lets pass: keys that stand twice in an object, of which it silently keeps the last;
// nesting so deep that printing the value in an error would exhaust the stack; and NUL characters, which no
// CSV file can hold. A pass of its own: the parser's callback searches the whole array of records again at
// every record's end.
class StrictText : public nlohmann::json_sax<Json> {
 public:
  explicit StrictText(const RecordPlace& place) : place_(place) {}

  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return enter();
  }
  bool end_object() override {
    keys_.pop_back();
    return leave();
  }
  bool key(std::string& key) override {
    check_characters(key);
    if (keys_.back().insert(key).second) return true;
    fail_at(place_, "", key, "this key stands twice in its object; expected each key once");
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string& text) override {
    check_characters(text);
    return true;
  }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool enter() {
    if (++depth_ <= kDeepestNesting) return true;
    fail_at(place_, "", "", fmt::format("expected at most {} levels of nesting", kDeepestNesting));
  }
  bool leave() {
    --depth_;
    return true;
  }
  void check_characters(const std::string& text) const {
    if (text.find('\0') == std::string::npos) return;
    fail_at(place_, "", text, "NUL characters are not accepted in a string");
  }

  const RecordPlace& place_;
  std::size_t depth_ = 0;                    // objects and arrays that are open
  std::vector<std::set<std::string>> keys_;  // of the objects among them
};

// The parser's words without its own prefix: "[json.exception…] parse error at line 1, column 2: …".
std::string reason_of(const std::exception& error) {
  const std::string_view text = error.what();
  const std::size_t column = text.find("column ");
  const std::size_t begin = text.find(": ", column == std::string_view::npos ? 0 : column);
  std::string reason(begin == std::string_view::npos ? text : text.substr(begin + 2));
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason;
}

[[noreturn]] void fail_at_byte(std::string_view text, RecordPlace place, std::size_t bytes_before,
                               std::size_t byte, std::string_view reason) {
  const std::size_t before = std::min(byte, text.size());
  if (!place.line) {
    place.line = 1 + static_cast<std::size_t>(
                         std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before), '\n'));
  }
  const bool ended = byte > text.size();  // the parser counts the end as a byte
  fail_at(place, "", "",
          fmt::format("expected JSON; byte {}: {}{}", bytes_before + before, reason,
                      ended ? "; the file seems truncated" : ""));
}

std::string_view accepted_json(FieldType type) {
  switch (type) {
    case FieldType::bytes:
      return "expected a whole number from 0 to 18446744073709551615";
    case FieldType::integer:
      return "expected a whole number of 64 bits";
    case FieldType::real:
      return "expected a number";
    case FieldType::boolean:
      return "expected true or false";
    case FieldType::text:
      return "expected a string";
  }
  return "";
}

std::string shown(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json parse_json(std::string_view text, const RecordPlace& place, std::size_t bytes_before) {
  // The parser takes a NUL for the end and would not look at what follows.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    fail_at_byte(text, place, bytes_before, nul + 1, "NUL bytes are not accepted");
  try {
    Json json = Json::parse(text);
    StrictText strict(place);
    Json::sax_parse(text, &strict);
    return json;
  } catch (const Json::parse_error& error) {
    fail_at_byte(text, place, bytes_before, error.byte, reason_of(error));
  } catch (const Json::exception& error) {  // a number beyond what a double holds
    fail_at(place, "", "", fmt::format("expected JSON; {}", reason_of(error)));
  }
}

std::string joined(std::string_view name, std::string_view key) {
  return name.empty() ? std::string(key) : fmt::format("{}.{}", name, key);
}

void expect_object(const RecordPlace& place, std::string_view name, const Json& json) {
  if (!json.is_object()) fail_at(place, name, shown(json), "expected an object: {\"key\": value, ...}");
}

void expect_array(const RecordPlace& place, std::string_view name, const Json& json) {
  if (!json.is_array()) fail_at(place, name, shown(json), "expected an array: [value, ...]");
}

void expect_keys(const RecordPlace& place, std::string_view name, const Json& json,
                 std::initializer_list<std::string_view> keys) {
  expect_object(place, name, json);
  for (const auto& item : json.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
    fail_at(place, name, item.key(), fmt::format("expected one of the keys {}", fmt::join(keys, ", ")));
  }
}

const Json& member(const RecordPlace& place, std::string_view name, const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) fail_at(place, joined(name, key), "", "expected this key");
  return *found;
}

FieldValue field_value(const RecordPlace& place, std::string_view name, FieldType type, const Json& json) {
  switch (type) {
    case FieldType::bytes:
      if (json.is_number_unsigned()) return json.get<std::uint64_t>();
      break;
    case FieldType::integer:
      // Any whole number that is not negative is held as unsigned.
      if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) break;
      if (json.is_number_integer()) return json.get<std::int64_t>();
      break;
    case FieldType::real:
      if (json.is_number()) return json.get<double>();
      break;
    case FieldType::boolean:
      if (json.is_boolean()) return json.get<bool>();
      break;
    case FieldType::text:
      if (json.is_string()) return json.get<std::string>();
      break;
  }
  fail_at(place, name, shown(json), accepted_json(type));
}

}  // namespace hbmscope
