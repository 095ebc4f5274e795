#include "tests/profiler/counters_doc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/cupti_errors.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

TEST(CountersDoc, HasEveryRowOfTheMetricTable) {
  const std::string text = read_counters_doc();
  for (const std::string& row : metric_rows()) EXPECT_THAT(text, HasSubstr(row + "\n"));
}

TEST(CountersDoc, HasNoRowThatTheTableLacks) {
  std::size_t rows = 0;
  const std::string text = read_counters_doc();
  for (const QuantityInfo& quantity : quantities()) {
    const std::string start = "\n| " + std::string(quantity.name) + " | ";
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) ++rows;
  }
  EXPECT_EQ(rows, metric_rows().size());
}

TEST(CountersDoc, ExplainsEveryQuantityAndError) {
  const std::string text = read_counters_doc();
  for (const QuantityInfo& quantity : quantities())
    EXPECT_THAT(text, HasSubstr(std::string(quantity.meaning)));
  for (const int code : {15, 26, 33, 35, 40, 41, 43}) {
    EXPECT_THAT(text, HasSubstr(std::string(find_cupti_error(code)->name)));
  }
}

}  // namespace
}  // namespace hbmscope
