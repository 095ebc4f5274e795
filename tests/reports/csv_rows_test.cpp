#include "reports/csv_rows.h"

#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace hbmscope {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text) {
  CsvRows rows(text, "f.csv");
  Rows result;
  for (CsvRow row; rows.next(row);) result.push_back(row.fields);
  return result;
}

TEST(CsvRows, SplitsAtCommasAndLines) {
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("a,,\n,\n"), (Rows{{"a", "", ""}, {"", ""}}));
  EXPECT_EQ(rows_of(""), Rows{});
}

TEST(CsvRows, TakesCrLfAndAByteOrderMark) {
  EXPECT_EQ(rows_of("\xef\xbb\xbf"
                    "a,b\r\n1,2\r\n"),
            (Rows{{"a", "b"}, {"1", "2"}}));
}

TEST(CsvRows, UnquotesFields) {
  EXPECT_EQ(rows_of("\"a,b\",\"c\"\"d\"\n\"\",\"e\r\nf\"\n"), (Rows{{"a,b", "c\"d"}, {"", "e\r\nf"}}));
}

TEST(CsvRows, CountsLinesWithinQuotes) {
  CsvRows rows("\"a\n\nb\",c\nd\n", "f.csv");
  CsvRow row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.lines, (std::vector<std::size_t>{1, 3}));
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 4U);
}

TEST(CsvRows, RefusesALastRowWithoutALineBreak) {
  const std::string error =
      "f.csv:2: expected a line break at the end of the last row; the file seems truncated";
  for (const char* text : {"a,b\n1,23", "a,b\n1,", "a,b\n1,\"23\"", "a,b\n1"}) {
    EXPECT_EQ(error_of([&] { rows_of(text); }), error) << text;
  }
}

TEST(CsvRows, RefusesWhatIsNotCsv) {
  EXPECT_EQ(error_of([] { rows_of("a\n\"1\n2"); }),
            "f.csv:2: expected a closing quote; the file seems truncated");
  EXPECT_THAT(error_of([] { rows_of("a\n1\"2\n"); }), testing::StartsWith("f.csv:2: expected a comma"));
  EXPECT_THAT(error_of([] { rows_of("a\n\"1\"2\n"); }), testing::StartsWith("f.csv:2: expected a comma"));
  EXPECT_THAT(error_of([] { rows_of("a\r1\n"); }), testing::StartsWith("f.csv:1: a carriage return"));
  EXPECT_THAT(error_of([] { rows_of(std::string_view("a\n1\0\n", 5)); }),
              testing::StartsWith("f.csv:2: NUL"));
  EXPECT_THAT(error_of([] { rows_of(std::string_view("a\n\"1\0\"\n", 7)); }),
              testing::StartsWith("f.csv:2: NUL"));
}

}  // namespace
}  // namespace hbmscope
