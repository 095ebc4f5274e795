#include "reports/json_reader.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "reports/json_rows.h"
#include "reports/json_text.h"
#include "reports/json_timeline.h"
#include "reports/record_builder.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// Null for a name that is no field's.
const Field* field_by_json_name(const std::string& name) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const Field*> map;
    for (const Field& field : record_fields()) map.emplace(json_field_name(field), &field);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool is_group(std::string_view key) {
  for (const FieldGroup group : {FieldGroup::point, FieldGroup::prediction, FieldGroup::measurement,
                                 FieldGroup::error, FieldGroup::provenance}) {
    if (key == to_string(group)) return true;
  }
  return false;
}

void read_field(RecordBuilder& builder, const RecordPlace& place, const std::string& name, const Json& json) {
  const Field* field = field_by_json_name(name);
  if (field == nullptr || field->group == FieldGroup::schema) {
    fail_at(place, name, "", "this key is not known; expected one that hbmscope writes");
  }
  builder.set(*field, field_value(place, name, field->type, json));
}

Record read_record(const RecordPlace& place, const Json& json) {
  expect_object(place, "", json);
  RecordBuilder builder(place);
  Record rows;
  for (const auto& [key, value] : json.items()) {
    if (key == "traffic") {
      rows.traffic = read_traffic(place, value);
    } else if (key == "launches") {
      rows.launches = read_launches(place, value);
    } else if (key == "roofs") {
      rows.roofs = read_roofs(place, value);
    } else if (key == "crossovers") {
      rows.crossovers = read_crossovers(place, value);
    } else if (key == "hbm_reasons") {
      rows.hbm_reasons = read_texts(place, key, value);
    } else if (key == "hbm_conclusions") {
      read_texts(place, key, value);  // they follow from the values
    } else if (key == "timeline") {
      rows.timeline = read_timeline(place, value);
    } else if (is_group(key)) {
      expect_object(place, key, value);
      for (const auto& [name, held] : value.items()) read_field(builder, place, joined(key, name), held);
    } else {
      read_field(builder, place, key, value);
    }
  }
  Record record = builder.finish();
  record.traffic = std::move(rows.traffic);
  record.launches = std::move(rows.launches);
  record.roofs = std::move(rows.roofs);
  record.crossovers = std::move(rows.crossovers);
  record.hbm_reasons = std::move(rows.hbm_reasons);
  record.timeline = std::move(rows.timeline);
  return record;
}

// The version stands first in what is checked: a newer one explains whatever else is not understood.
void check_version(const RecordPlace& place, const Json& json) {
  expect_object(place, "", json);
  const Json& version = member(place, "", json, "schema_version");
  check_schema_version(place, field_value(place, "schema_version", FieldType::integer, version),
                       version.dump());
}

RunInfo read_run(const RecordPlace& place, const Json& json) {
  const std::string_view name = "provenance";
  expect_keys(place, name, json, {"tool", "version", "git_commit", "argv", "date", "gpu", "driver", "cuda"});
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found == json.end()
               ? std::string()
               : std::get<std::string>(field_value(place, joined(name, key), FieldType::text, *found));
  };
  if (text("tool") != "hbmscope") fail_at(place, "provenance.tool", text("tool"), "expected hbmscope");
  RunInfo run{.version = text("version"),
              .git_commit = text("git_commit"),
              .date = text("date"),
              .gpu = text("gpu"),
              .driver = text("driver"),
              .cuda = text("cuda")};
  const Json& argv = member(place, name, json, "argv");
  expect_array(place, "provenance.argv", argv);
  for (const Json& argument : argv) {
    run.argv.push_back(
        std::get<std::string>(field_value(place, "provenance.argv", FieldType::text, argument)));
  }
  return run;
}

Configuration read_configuration(const RecordPlace& place, const Json& header) {
  Configuration configuration;
  const auto found = header.find("configuration");
  if (found == header.end()) return configuration;
  expect_object(place, "configuration", *found);
  for (const auto& [name, text] : found->items()) {
    configuration.emplace_back(name, std::get<std::string>(field_value(place, joined("configuration", name),
                                                                       FieldType::text, text)));
  }
  return configuration;
}

RecordPlace json_place(std::string_view origin) { return {.file = origin, .field_name = json_field_name}; }

[[noreturn]] void fail_empty(std::string_view origin, std::string_view expected) {
  throw UserError(std::string(origin), "", fmt::format("the file is empty; expected {}", expected));
}

}  // namespace

RunRecords read_json(std::string_view text, std::string_view origin) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    fail_empty(origin, "a JSON object with schema_version, provenance, gpus and records");
  }
  RecordPlace place = json_place(origin);
  const Json json = parse_json(text, place);
  check_version(place, json);
  expect_keys(place, "", json, {"schema_version", "provenance", "gpus", "records"});
  RunRecords result{
      .run = read_run(place, member(place, "", json, "provenance")), .records = {}, .configuration = {}};
  if (json.contains("gpus")) expect_array(place, "gpus", json["gpus"]);
  const Json& records = member(place, "", json, "records");
  expect_array(place, "records", records);
  for (const Json& record : records) {
    place.record = result.records.size() + 1;
    result.records.push_back(read_record(place, record));
  }
  return result;
}

RunRecords read_jsonl(std::string_view text, std::string_view origin) {
  if (text.empty()) fail_empty(origin, "a line with schema_version and provenance, then one record a line");
  RunRecords result;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    RecordPlace place = json_place(origin);
    place.line = ++line_number;
    const Json json = parse_json(text.substr(begin, end - begin), place, begin);
    if (line_number == 1) {
      check_version(place, json);
      expect_keys(place, "", json, {"schema_version", "provenance", "configuration"});
      result.run = read_run(place, member(place, "", json, "provenance"));
      result.configuration = read_configuration(place, json);
    } else {
      result.records.push_back(read_record(place, json));
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace hbmscope
