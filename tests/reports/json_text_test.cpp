#include "reports/json_text.h"

#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace hbmscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const RecordPlace kFile{.file = "f.json", .field_name = json_field_name};

std::string parse_error(std::string_view text) {
  return error_of([&] { parse_json(text, kFile); });
}

TEST(JsonText, NamesLineAndByteOfASyntaxError) {
  EXPECT_THAT(parse_error("{\n\"a\": 1,\n\"b\": oops}"), StartsWith("f.json:3: expected JSON; byte 16: "));
  EXPECT_THAT(parse_error("{\"a\":1} ] ]"), StartsWith("f.json:1: expected JSON; byte 9: "));
}

TEST(JsonText, SaysThatATextIsTruncated) {
  EXPECT_THAT(parse_error("{\"a\":[1,\n2"),
              AllOf(StartsWith("f.json:2: "), HasSubstr("the file seems truncated")));
}

TEST(JsonText, RefusesNulBytes) {
  EXPECT_EQ(parse_error(std::string_view("{}\0garbage", 10)),
            "f.json:1: expected JSON; byte 3: NUL bytes are not accepted");
}

TEST(JsonText, RefusesAKeyThatStandsTwice) {
  EXPECT_EQ(parse_error(R"({"a":{"b":1},"c":{"b":1,"b":2}})"),
            "f.json: 'b' is not accepted; this key stands twice in its object; expected each key once");
  EXPECT_EQ(parse_error(R"([{"b":1},{"b":2}])"), "no error");
}

TEST(JsonText, RefusesNulCharacters) {
  for (const char* text : {R"(["a\u0000b"])", R"({"a\u0000b":1})"}) {
    EXPECT_EQ(parse_error(text),
              "f.json: 'a\\x00b' is not accepted; NUL characters are not accepted in a string");
  }
}

// Printed in an error, a value this deep would exhaust the stack.
TEST(JsonText, RefusesDeepNesting) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(parse_error(nested(64)), "no error");
  EXPECT_EQ(parse_error(nested(65)), "f.json: expected at most 64 levels of nesting");
  EXPECT_EQ(parse_error(nested(1'000'000)), "f.json: expected at most 64 levels of nesting");
}

TEST(JsonText, RefusesNumbersBeyondADouble) {
  EXPECT_THAT(parse_error(R"({"a":1e999})"),
              AllOf(StartsWith("f.json: expected JSON; "), HasSubstr("1e999")));
}

TEST(JsonText, TakesValuesOfTheirTypeOnly) {
  const auto error = [](FieldType type, std::string_view text) {
    return error_of([&] { field_value(kFile, "x.y", type, Json::parse(text)); });
  };
  EXPECT_EQ(error(FieldType::bytes, "18446744073709551615"), "no error");
  EXPECT_EQ(error(FieldType::bytes, "18446744073709551616"),
            "f.json: x.y: '1.8446744073709552e+19' is not accepted; expected a whole number from 0 to "
            "18446744073709551615");
  EXPECT_THAT(error(FieldType::bytes, "-1"), StartsWith("f.json: x.y: '-1'"));
  EXPECT_THAT(error(FieldType::bytes, "1.0"), StartsWith("f.json: x.y: '1.0'"));
  EXPECT_EQ(error(FieldType::integer, "-9223372036854775808"), "no error");
  EXPECT_THAT(error(FieldType::integer, "9223372036854775808"),
              StartsWith("f.json: x.y: '9223372036854775808'"));
  EXPECT_THAT(error(FieldType::integer, "\"1\""), StartsWith("f.json: x.y: '\"1\"'"));
  EXPECT_EQ(error(FieldType::real, "3"), "no error");
  EXPECT_THAT(error(FieldType::real, "null"), StartsWith("f.json: x.y: 'null' is not accepted"));
  EXPECT_THAT(error(FieldType::boolean, "1"), StartsWith("f.json: x.y: '1'"));
  EXPECT_THAT(error(FieldType::text, "[]"), StartsWith("f.json: x.y: '[]'"));
}

}  // namespace
}  // namespace hbmscope
