#include "reports/record_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reports/field_value.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::size_t kLongestShownValue = 60;

std::string printable(std::string_view value) {
  std::string text;
  for (const char c : value.substr(0, kLongestShownValue)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return value.size() > kLongestShownValue ? text + "..." : text;
}

std::size_t index_of(const Field& field) { return static_cast<std::size_t>(&field - record_fields().data()); }

// The column that a command-line option fills: "--kv-heads" -> kv_heads, "--seqlen" -> seqlen_q, "--mask
// window" -> window. Null if there is none.
const Field* column_of(std::string_view option) {
  std::string name(option.substr(option.find_last_of(' ') + 1));
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  const Field* field = find_field(name);
  return field != nullptr ? field : find_field(name + "_q");
}

// Errors are written with the digits that give the same double back; one that was computed elsewhere, or
// rounded to nine digits, still agrees.
bool agrees(double stored, double computed) {
  return std::abs(stored - computed) <= 1e-9 * std::max(1.0, std::abs(computed));
}

}  // namespace

std::string csv_field_name(const Field& field) { return std::string(field.csv_name); }

std::string json_field_name(const Field& field) {
  if (field.group == FieldGroup::schema || field.group == FieldGroup::status)
    return std::string(field.json_name);
  return fmt::format("{}.{}", to_string(field.group), field.json_name);
}

std::string RecordPlace::text() const {
  std::string text(file);
  if (line) text += fmt::format(":{}", *line);
  if (record) text += fmt::format(": record {}", *record);
  return text;
}

void fail_at(const RecordPlace& place, std::string_view name, std::string_view value,
             std::string_view accepted) {
  std::string input = place.text();
  if (!name.empty()) input.append(": ").append(printable(name));
  throw UserError(std::move(input), printable(value), std::string(accepted));
}

void check_schema_version(const RecordPlace& place, const FieldValue& version, std::string_view value) {
  const auto* number = std::get_if<std::int64_t>(&version);
  if (number != nullptr && *number >= 1 && *number <= kSchemaVersion) return;
  const bool newer = number != nullptr && *number > kSchemaVersion;
  fail_at(place, "schema_version", value,
          fmt::format("expected a version from 1 to {}{}", kSchemaVersion,
                      newer ? "; a newer hbmscope wrote this file" : ""));
}

RecordBuilder::RecordBuilder(const RecordPlace& place)
    : place_(place), present_(record_fields().size()), stored_errors_(record_fields().size()) {}

void RecordBuilder::set(const Field& field, const FieldValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return;
  present_[index_of(field)] = true;
  if (field.group == FieldGroup::error) stored_errors_[index_of(field)] = std::get<double>(value);
  if (field.derived()) return;
  try {
    field.set(record_, value);
  } catch (const UserError& error) {
    fail_at(place_, place_.field_name(field), error.value(), error.accepted());
  }
}

Record RecordBuilder::finish() {
  check_required();
  check_point();
  check_signs();
  check_errors();
  return std::move(record_);
}

void RecordBuilder::check_required() const {
  for (const Field& field : record_fields()) {
    if (!field.required || present_[index_of(field)]) continue;
    const bool group_may_be_absent =
        field.group == FieldGroup::prediction || field.group == FieldGroup::measurement;
    const bool group_is_there = std::any_of(
        record_fields().begin(), record_fields().end(),
        [&](const Field& other) { return other.group == field.group && present_[index_of(other)]; });
    if (group_may_be_absent && !group_is_there) continue;
    fail_at(place_, place_.field_name(field), "",
            group_may_be_absent
                ? fmt::format("expected a value, because the {} has others", to_string(field.group))
                : "expected a value");
  }
}

void RecordBuilder::check_point() const {
  try {
    check_problem(record_.point.problem);
  } catch (const UserError& error) {
    const Field* field = column_of(error.input());
    fail_at(place_, field != nullptr ? place_.field_name(*field) : error.input(), error.value(),
            error.accepted());
  }
  for (const char* name : {"br", "bc", "stages", "splits"}) {
    const Field& field = *find_field(name);
    const auto value = std::get<std::int64_t>(field.get(record_));
    if (value >= 1 && value <= kLargestSize) continue;
    fail_at(place_, place_.field_name(field), std::to_string(value),
            fmt::format("expected a whole number from 1 to {}", kLargestSize));
  }
}

// Nothing but an error (err_*) can be below zero.
void RecordBuilder::check_signs() const {
  for (const Field& field : record_fields()) {
    if (field.group == FieldGroup::error) continue;
    const FieldValue value = field.get(record_);
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if ((integer == nullptr || *integer >= 0) && (real == nullptr || *real >= 0)) continue;
    std::string text;
    append_value(text, value);
    fail_at(place_, place_.field_name(field), text, "expected a number from 0 on");
  }
}

void RecordBuilder::check_errors() const {
  try {
    errors_of(record_);  // sums of bytes in a file that was edited may exceed 64 bits
  } catch (const UserError& error) {
    fail_at(place_, error.input(), error.value(), error.accepted());
  }
  for (const Field& field : record_fields()) {
    if (field.group != FieldGroup::error || !present_[index_of(field)]) continue;
    const double stored = stored_errors_[index_of(field)];
    const FieldValue computed = field.get(record_);
    const auto* number = std::get_if<double>(&computed);
    if (number != nullptr && agrees(stored, *number)) continue;
    fail_at(place_, place_.field_name(field), fmt::format("{}", stored),
            number != nullptr ? fmt::format("the values beside it give {}", *number)
                              : "expected no value: the predicted or the measured one is absent or zero");
  }
}

}  // namespace hbmscope
