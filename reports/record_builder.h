#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record_fields.h"

namespace hbmscope {

// How a format calls a field: "pred_l2_read_bytes" in CSV, "prediction.l2_read_bytes" in JSON.
std::string csv_field_name(const Field& field);
std::string json_field_name(const Field& field);

// Where a record stands in a file, for errors: "runs.csv:12", "runs.json: record 3".
struct RecordPlace {
  std::string_view file;
  std::optional<std::size_t> line;    // from 1
  std::optional<std::size_t> record;  // from 1, where lines say nothing
  std::string (*field_name)(const Field&) = csv_field_name;

  std::string text() const;
};

// Throws UserError for what stands at `place` under `name`. The value is cut and its control characters are
// escaped, so that the error stays one line.
[[noreturn]] void fail_at(const RecordPlace& place, std::string_view name, std::string_view value,
                          std::string_view accepted);

// A version that a file states. Throws UserError unless this program reads it.
void check_schema_version(const RecordPlace& place, const FieldValue& version, std::string_view value);

// Makes a record of values that were read, whatever the format, and checks that they fit together.
class RecordBuilder {
 public:
  explicit RecordBuilder(const RecordPlace& place);

  // A value of the field's type, or monostate. Throws UserError if the field cannot hold it.
  void set(const Field& field, const FieldValue& value);

  // Throws UserError for a missing required field (of the point, or of a group with any value), a problem or
  // a tile that cannot be, a number below zero, and a stored error (err_*) that does not follow from the
  // bytes beside it.
  Record finish();

 private:
  void check_required() const;
  void check_point() const;
  void check_signs() const;
  void check_errors() const;

  RecordPlace place_;
  Record record_;
  std::vector<bool> present_;          // by field
  std::vector<double> stored_errors_;  // by field; only those present count
};

}  // namespace hbmscope
