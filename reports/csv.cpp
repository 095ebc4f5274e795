#include "reports/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/csv_rows.h"
#include "reports/field_value.h"
#include "reports/record_builder.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

std::string_view accepted_text(FieldType type) {
  switch (type) {
    case FieldType::bytes:
      return "expected a whole number from 0 to 18446744073709551615";
    case FieldType::integer:
      return "expected a whole number";
    case FieldType::real:
      return "expected a finite number";
    case FieldType::boolean:
      return "expected 0 or 1";
    case FieldType::text:
      return "expected text";
  }
  return "";
}

void append_quoted(std::string& text, std::string_view field) {
  if (field.find_first_of("\",\r\n") == std::string_view::npos) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

// The header row: which field each column holds; null for a column that this version does not know.
struct Columns {
  CsvRow header;
  std::vector<const Field*> fields;

  RecordPlace place(std::string_view origin) const { return {.file = origin, .line = header.line}; }
};

Columns read_columns(CsvRows& rows, std::string_view origin) {
  Columns columns;
  if (!rows.next(columns.header)) {
    throw UserError(std::string(origin), "",
                    "the file is empty; expected a header row of hbmscope's columns");
  }
  for (const std::string& name : columns.header.fields) {
    const Field* field = find_field(name);
    if (field != nullptr &&
        std::find(columns.fields.begin(), columns.fields.end(), field) != columns.fields.end()) {
      fail_at(columns.place(origin), "", name, "this column is there twice; expected each column once");
    }
    columns.fields.push_back(field);
  }
  const auto has = [&](const Field* field) {
    return std::find(columns.fields.begin(), columns.fields.end(), field) != columns.fields.end();
  };
  if (!has(find_field("schema_version"))) {
    fail_at(columns.place(origin), "schema_version", "", "expected this column; is it a CSV of hbmscope?");
  }
  return columns;
}

// Called once a row's schema version was accepted: a newer version is a better reason than its new columns.
void check_columns(const Columns& columns, std::string_view origin) {
  for (std::size_t i = 0; i < columns.fields.size(); ++i) {
    if (columns.fields[i] != nullptr) continue;
    fail_at(columns.place(origin), fmt::format("column {}", i + 1), columns.header.fields[i],
            "expected a column of hbmscope's");
  }
  for (const Field& field : record_fields()) {
    const bool needed =
        field.required && (field.group == FieldGroup::point || field.group == FieldGroup::status);
    if (!needed || std::find(columns.fields.begin(), columns.fields.end(), &field) != columns.fields.end())
      continue;
    fail_at(columns.place(origin), field.csv_name, "", "expected this column");
  }
}

void check_row(const Columns& columns, const CsvRow& row, std::string_view origin) {
  const std::size_t expected = columns.fields.size();
  if (row.fields.size() != expected) {
    fail_at({.file = origin, .line = row.line}, "", fmt::format("{} fields", row.fields.size()),
            fmt::format("expected {} as in the header; the row may be truncated", expected));
  }
  const auto version_column =
      std::find(columns.fields.begin(), columns.fields.end(), find_field("schema_version"));
  const std::string& text = row.fields[static_cast<std::size_t>(version_column - columns.fields.begin())];
  check_schema_version({.file = origin, .line = row.line},
                       parse_value(FieldType::integer, text).value_or(FieldValue{}), text);
}

Record read_row(const Columns& columns, const CsvRow& row, std::string_view origin) {
  RecordBuilder builder({.file = origin, .line = row.line});
  for (std::size_t i = 0; i < columns.fields.size(); ++i) {
    const Field& field = *columns.fields[i];
    const std::optional<FieldValue> value = parse_value(field.type, row.fields[i]);
    if (!value) {
      fail_at({.file = origin, .line = row.lines[i]}, field.csv_name, row.fields[i],
              accepted_text(field.type));
    }
    builder.set(field, *value);
  }
  return builder.finish();
}

}  // namespace

std::string csv_header() {
  std::string text;
  for (const Field& field : record_fields()) {
    if (!text.empty()) text += ',';
    text += field.csv_name;
  }
  return text + '\n';
}

void append_csv_row(std::string& text, const Record& record) {
  std::string value;
  bool first = true;
  for (const Field& field : record_fields()) {
    if (!first) text += ',';
    first = false;
    value.clear();
    append_value(value, written_value(field, record));
    append_quoted(text, value);
  }
  text += '\n';
}

std::string write_csv(const std::vector<Record>& records) {
  std::string text = csv_header();
  for (const Record& record : records) append_csv_row(text, record);
  return text;
}

std::vector<Record> read_csv(std::string_view text, std::string_view origin) {
  CsvRows rows(text, origin);
  const Columns columns = read_columns(rows, origin);
  std::vector<Record> records;
  CsvRow row;
  while (rows.next(row)) {
    check_row(columns, row, origin);
    if (records.empty()) check_columns(columns, origin);
    records.push_back(read_row(columns, row, origin));
  }
  if (records.empty()) check_columns(columns, origin);
  return records;
}

}  // namespace hbmscope
