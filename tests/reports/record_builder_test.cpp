#include "reports/record_builder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace hbmscope {
namespace {

constexpr RecordPlace kLine{.file = "f.csv", .line = 12};
const RecordPlace kRecord{.file = "f.json", .record = 3, .field_name = json_field_name};

// Everything that a record must say.
void set_point(RecordBuilder& builder) {
  const Record record = sample_record();
  for (const Field& field : record_fields()) {
    if (field.group == FieldGroup::point || field.group == FieldGroup::status) {
      builder.set(field, field.get(record));
    }
  }
}

TEST(RecordBuilder, NamesFieldsAsTheFormatDoes) {
  const Field& field = *find_field("pred_l2_read_bytes");
  EXPECT_EQ(csv_field_name(field), "pred_l2_read_bytes");
  EXPECT_EQ(json_field_name(field), "prediction.l2_read_bytes");
  EXPECT_EQ(json_field_name(*find_field("status")), "status");
  EXPECT_EQ(error_of([&] { RecordBuilder(kLine).set(field, std::string("x")); }),
            "f.csv:12: pred_l2_read_bytes: expected a whole number of bytes or counts");
  EXPECT_EQ(error_of([&] { RecordBuilder(kRecord).set(field, std::string("x")); }),
            "f.json: record 3: prediction.l2_read_bytes: expected a whole number of bytes or counts");
}

TEST(RecordBuilder, AbsentValuesMakeNoGroup) {
  RecordBuilder builder(kLine);
  set_point(builder);
  builder.set(*find_field("pred_l2_read_bytes"), FieldValue{});
  builder.set(*find_field("meas_l2_read_bytes"), FieldValue{});
  const Record record = builder.finish();
  EXPECT_FALSE(record.prediction);
  EXPECT_FALSE(record.measurement);
}

TEST(RecordBuilder, WantsTheWholePoint) {
  for (const Field& field : record_fields()) {
    if (!field.required || field.group != FieldGroup::point) continue;
    RecordBuilder builder(kLine);
    const Record record = sample_record();
    for (const Field& other : record_fields()) {
      if (&other != &field && !other.derived()) builder.set(other, other.get(record));
    }
    EXPECT_EQ(error_of([&] { builder.finish(); }),
              "f.csv:12: " + std::string(field.csv_name) + ": expected a value");
  }
}

TEST(RecordBuilder, OneCounterIsAMeasurement) {
  RecordBuilder builder(kLine);
  set_point(builder);
  builder.set(*find_field("meas_l2_read_bytes"), std::uint64_t{5});
  EXPECT_EQ(builder.finish().measurement->l2_read_bytes, 5U);
}

TEST(RecordBuilder, RefusesNumbersBelowZero) {
  for (const char* name : {"meas_time_s", "max_error", "meas_hbm_spread"}) {
    RecordBuilder builder(kLine);
    set_point(builder);
    builder.set(*find_field(name), -0.5);
    EXPECT_EQ(error_of([&] { builder.finish(); }),
              fmt::format("f.csv:12: {}: '-0.5' is not accepted; expected a number from 0 on", name));
  }
  RecordBuilder builder(kLine);
  set_point(builder);
  builder.set(*find_field("passes"), std::int64_t{-1});
  EXPECT_EQ(error_of([&] { builder.finish(); }),
            "f.csv:12: passes: '-1' is not accepted; expected a number from 0 on");
}

TEST(RecordBuilder, ShowsLongAndStrangeValuesOnOneLine) {
  const std::string error =
      error_of([] { fail_at(kLine, "x", "a\nb\x1b" + std::string(99, 'c'), "expected y"); });
  EXPECT_EQ(error, "f.csv:12: x: 'a\\x0ab\\x1b" + std::string(56, 'c') + "...' is not accepted; expected y");
}

TEST(RecordFields, SettersNameTheirColumn) {
  Record record;
  for (const Field& field : record_fields()) {
    if (field.derived()) continue;
    const FieldValue wrong =
        field.type == FieldType::text ? FieldValue{std::uint64_t{1}} : FieldValue{std::string("x")};
    EXPECT_THAT(error_of([&] { field.set(record, wrong); }),
                testing::StartsWith(std::string(field.csv_name) + ": expected "));
  }
}

}  // namespace
}  // namespace hbmscope
