#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sim/record.h"

namespace hbmscope {

// A field's value; monostate is an absent one.
using FieldValue = std::variant<std::monostate, std::uint64_t, std::int64_t, double, bool, std::string>;

enum class FieldGroup : std::uint8_t { schema, point, status, prediction, measurement, error, provenance };
enum class FieldType : std::uint8_t { bytes, integer, real, boolean, text };

// One column of the CSV and one key of the JSON. The table of these is the only list of output names: CSV,
// JSON, readers, help and documentation all read it.
struct Field {
  std::string_view csv_name;   // "pred_l2_read_bytes"
  std::string_view json_name;  // "l2_read_bytes", within the group's object
  FieldGroup group;
  FieldType type;
  std::string_view description;
  bool key;       // part of what identifies a point when recorded rows are matched
  bool required;  // absent only if its whole group is
  FieldValue (*get)(const Record&);
  void (*assign)(Record&, std::string_view csv_name, const FieldValue&);  // null for derived fields

  // Errors and the schema version follow from the rest and cannot be set.
  constexpr bool derived() const { return assign == nullptr; }
  // Sets from a value of the field's type or from monostate, which changes nothing. Throws
  // UserError(csv_name, …) for a value that the field cannot hold.
  void set(Record& record, const FieldValue& value) const { assign(record, csv_name, value); }
};

std::span<const Field> record_fields();

// Null if there is none.
const Field* find_field(std::string_view csv_name);

std::string_view to_string(FieldGroup group);

}  // namespace hbmscope
