#include "reports/field_value.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/reports/random_record.h"
#include "tests/reports/support.h"

namespace hbmscope {
namespace {

std::string text_of(const FieldValue& value) {
  std::string text;
  append_value(text, value);
  return text;
}

TEST(FieldValueText, IsExactAndShort) {
  EXPECT_EQ(text_of(std::uint64_t{18446744073709551615U}), "18446744073709551615");
  EXPECT_EQ(text_of(std::int64_t{-5}), "-5");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(text_of(true), "1");
  EXPECT_EQ(text_of(false), "0");
  EXPECT_EQ(text_of(std::string("a,b")), "a,b");
  EXPECT_EQ(text_of(FieldValue{}), "");
}

RC_GTEST_PROP(FieldValueText, GivesTheSameRealBack, ()) {
  const double real = random_real();
  RC_ASSERT(parse_value(FieldType::real, text_of(real)) == FieldValue{real});
}

TEST(FieldValueText, EmptyIsAbsentInEveryType) {
  for (const FieldType type :
       {FieldType::bytes, FieldType::integer, FieldType::real, FieldType::boolean, FieldType::text}) {
    EXPECT_EQ(parse_value(type, ""), FieldValue{});
  }
}

TEST(FieldValueText, RefusesOtherTypes) {
  EXPECT_EQ(parse_value(FieldType::bytes, "-1"), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::bytes, "18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::integer, "9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::integer, "1 "), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::real, "nan"), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::real, "inf"), std::nullopt);
  EXPECT_EQ(parse_value(FieldType::boolean, "true"), std::nullopt);
}

TEST(WrittenValue, LeavesOutWhatIsNotFinite) {
  Record record = sample_record();
  const Field& field = *find_field("max_error");
  EXPECT_EQ(written_value(field, record), FieldValue{0.001});
  record.measurement->max_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(written_value(field, record), FieldValue{});
}

}  // namespace
}  // namespace hbmscope
