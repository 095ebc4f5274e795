#include "cli/byte_unit.h"

#include <gtest/gtest.h>

namespace hbmscope {
namespace {

TEST(ByteUnit, DividesByWhatItSays) {
  EXPECT_EQ(unit_for(2'000'000'000).text(std::uint64_t{2'500'000'000}), "2.500");
  EXPECT_STREQ(unit_for(100'000'000).name, "GB");
  EXPECT_STREQ(unit_for(99'999'999).name, "MB");
  EXPECT_STREQ(unit_for(99'999).name, "kB");
}

TEST(ByteUnit, NeverShowsBytesAsNone) {
  const ByteUnit gigabytes{"GB", 1e9};
  EXPECT_EQ(gigabytes.text(std::uint64_t{1}), "<0.001");
  EXPECT_EQ(gigabytes.text(std::uint64_t{0}), "0.000");
  EXPECT_EQ(gigabytes.text(std::optional<std::uint64_t>{}), "-");
}

TEST(ByteUnit, ErrorsAreInPercentWithTheirSign) {
  EXPECT_EQ(percent_text(0.0123), "+1.23");
  EXPECT_EQ(percent_text(-0.5), "-50.00");
  EXPECT_EQ(percent_text(std::nullopt), "-");
}

}  // namespace
}  // namespace hbmscope
