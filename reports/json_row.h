#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "reports/json_text.h"

namespace hbmscope {

// One object of a record, whose values are taken by key.
class JsonRow {
 public:
  JsonRow(const RecordPlace& place, std::string name, const Json& json)
      : place_(place), name_(std::move(name)), json_(json) {}
  // Of an array.
  JsonRow(const RecordPlace& place, std::string_view array, std::size_t index, const Json& json)
      : JsonRow(place, fmt::format("{}[{}]", array, index), json) {}

  void expect(std::initializer_list<std::string_view> keys) const { expect_keys(place_, name_, json_, keys); }

  std::string text(const char* key) const { return there<std::string>(key, FieldType::text); }
  std::uint64_t bytes(const char* key) const { return there<std::uint64_t>(key, FieldType::bytes); }
  std::int64_t count(const char* key) const {
    return *not_negative(key, std::optional(there<std::int64_t>(key, FieldType::integer)));
  }
  double real(const char* key) const {
    return *not_negative(key, std::optional(there<double>(key, FieldType::real)));
  }
  const Json& array(const char* key) const {
    const Json& held = member(place_, name_, json_, key);
    expect_array(place_, name(key), held);
    return held;
  }
  // Of what stands under a key, for errors.
  std::string name(const char* key) const { return joined(name_, key); }
  // Absent if the key is.
  std::optional<std::uint64_t> bytes_if_there(const char* key) const {
    return if_there<std::uint64_t>(key, FieldType::bytes);
  }
  std::optional<std::string> text_if_there(const char* key) const {
    return if_there<std::string>(key, FieldType::text);
  }
  std::optional<std::int64_t> count_if_there(const char* key) const {
    return not_negative(key, if_there<std::int64_t>(key, FieldType::integer));
  }
  std::optional<double> real_if_there(const char* key) const {
    return not_negative(key, if_there<double>(key, FieldType::real));
  }

  [[noreturn]] void fail(const char* key, std::string_view value, std::string_view accepted) const {
    fail_at(place_, joined(name_, key), value, accepted);
  }

 private:
  FieldValue value(const char* key, FieldType type, const Json& json) const {
    return field_value(place_, joined(name_, key), type, json);
  }
  template <class T>
  T there(const char* key, FieldType type) const {
    return std::get<T>(value(key, type, member(place_, name_, json_, key)));
  }
  template <class T>
  std::optional<T> if_there(const char* key, FieldType type) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return std::get<T>(value(key, type, *found));
  }
  template <class T>
  std::optional<T> not_negative(const char* key, const std::optional<T>& number) const {
    if (number && *number < 0) fail(key, fmt::format("{}", *number), "expected a number from 0 on");
    return number;
  }

  const RecordPlace& place_;
  std::string name_;
  const Json& json_;
};

}  // namespace hbmscope
