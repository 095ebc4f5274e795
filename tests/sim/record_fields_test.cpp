#include "sim/record_fields.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/error.h"

namespace hbmscope {
namespace {

// A value of the field's type that is not its default.
FieldValue example_of(const Field& field) {
  static const std::vector<std::pair<std::string_view, std::string>> names{
      {"direction", "backward"}, {"dtype", "fp8"},      {"mask", "window"},      {"order", "head-fastest"},
      {"kv_walk", "down"},       {"l2_mode", "replay"}, {"cache_state", "warm"}, {"status", "failed"}};
  for (const auto& [name, value] : names) {
    if (field.csv_name == name) return value;
  }
  switch (field.type) {
    case FieldType::bytes:
      return std::uint64_t{18446744073709551615U};
    case FieldType::integer:
      return std::int64_t{12345};
    case FieldType::real:
      return 0.125;
    case FieldType::boolean:
      return true;
    case FieldType::text:
      return std::string("text, \"quoted\"");
  }
  return {};
}

// A value of a type that the field does not take.
FieldValue wrong_for(const Field& field) {
  return field.type == FieldType::text ? FieldValue{true} : FieldValue{std::string("wrong")};
}

}  // namespace

TEST(RecordFields, NamesAreUnique) {
  std::set<std::string_view> csv;
  std::set<std::pair<FieldGroup, std::string_view>> json;
  for (const Field& field : record_fields()) {
    EXPECT_TRUE(csv.insert(field.csv_name).second) << field.csv_name;
    EXPECT_TRUE(json.insert({field.group, field.json_name}).second) << field.json_name;
    EXPECT_FALSE(field.description.empty()) << field.csv_name;
    EXPECT_EQ(find_field(field.csv_name), &field);
  }
  EXPECT_EQ(find_field("pred_nothing"), nullptr);
}

TEST(RecordFields, GetGivesWhatWasSet) {
  for (const Field& field : record_fields()) {
    if (field.derived()) continue;
    Record record;
    if (field.csv_name == "stale") record.provenance.source = "recorded";
    const FieldValue value = example_of(field);
    EXPECT_NE(field.get(record), value) << field.csv_name << ": the example is the default";
    field.set(record, value);
    EXPECT_EQ(field.get(record), value) << field.csv_name;
  }
}

TEST(RecordFields, SetTouchesNothingElse) {
  for (const Field& field : record_fields()) {
    if (field.derived()) continue;
    Record record;
    field.set(record, example_of(field));
    for (const Field& other : record_fields()) {
      // A prediction's numbers come together; only a measurement with a source can be stale.
      const bool together = (field.group == FieldGroup::prediction && other.group == field.group) ||
                            (field.csv_name == "source" && other.csv_name == "stale");
      if (&other == &field || together || other.derived()) continue;
      EXPECT_EQ(other.get(record), other.get(Record{})) << field.csv_name << " changed " << other.csv_name;
    }
  }
}

TEST(RecordFields, AbsentChangesNothing) {
  for (const Field& field : record_fields()) {
    if (field.derived()) continue;
    Record record;
    field.set(record, std::monostate{});
    EXPECT_EQ(field.get(record), field.get(Record{})) << field.csv_name;
  }
}

TEST(RecordFields, WrongValuesAreNamed) {
  for (const Field& field : record_fields()) {
    if (field.derived()) continue;
    Record record;
    try {
      field.set(record, wrong_for(field));
      ADD_FAILURE() << field.csv_name << " took a value of another type";
    } catch (const UserError& error) {
      EXPECT_EQ(error.input(), field.csv_name);
    }
  }
  Record record;
  EXPECT_THROW(find_field("mask")->set(record, std::string("diagonal")), UserError);
  EXPECT_THROW(find_field("dtype")->set(record, std::string("float")), UserError);
}

TEST(RecordFields, AbsentMeasurementsStayAbsent) {
  const Record record;
  for (const Field& field : record_fields()) {
    if (field.group != FieldGroup::measurement && field.group != FieldGroup::error) continue;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(field.get(record))) << field.csv_name;
  }
}

// What identifies a point: everything it is asked for, but not how it is predicted.
TEST(RecordFields, KeysAreThePoint) {
  std::set<std::string_view> keys;
  for (const Field& field : record_fields()) {
    if (field.key) keys.insert(field.csv_name);
  }
  for (const char* name :
       {"gpu", "algorithm", "variant", "seqlen_q", "seqlen_kv", "mask", "br", "bc", "seed"}) {
    EXPECT_TRUE(keys.contains(name)) << name;
  }
  for (const char* name : {"l2_mode", "kernel_hash", "status", "pred_l2_read_bytes", "date"}) {
    EXPECT_FALSE(keys.contains(name)) << name;
  }
}

}  // namespace hbmscope
