#include "cli/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/error.h"

namespace hbmscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr NumberRange kRange{1, std::int64_t{1} << 30};

std::vector<std::int64_t> parse(const std::string& text) { return parse_number_axis("--n", text, kRange); }

TEST(Axis, TakesOneValueAndLists) {
  EXPECT_THAT(parse("64"), ElementsAre(64));
  EXPECT_THAT(parse("512,64,128"), ElementsAre(512, 64, 128));
}

TEST(Axis, KnowsPowersOf1024) {
  EXPECT_THAT(parse("16k,1K,1m,2M"), ElementsAre(16384, 1024, 1048576, 2097152));
}

TEST(Axis, RangesIncludeBothEnds) {
  EXPECT_THAT(parse("512..4k*2"), ElementsAre(512, 1024, 2048, 4096));
  EXPECT_THAT(parse("32..128+32"), ElementsAre(32, 64, 96, 128));
  EXPECT_THAT(parse("32..100+32"), ElementsAre(32, 64, 96));
  EXPECT_THAT(parse("7..7+1"), ElementsAre(7));
  EXPECT_THAT(parse("1,512..1k*2"), ElementsAre(1, 512, 1024));
}

TEST(Axis, CountsAValueOnce) { EXPECT_THAT(parse("64,32..96+32,64"), ElementsAre(64, 32, 96)); }

TEST(Axis, DoesNotRunPastTheLargestNumber) {
  constexpr NumberRange all{0, INT64_MAX};
  EXPECT_THAT(parse_number_axis("--seed", "9223372036854775806..9223372036854775807+1", all),
              ElementsAre(INT64_MAX - 1, INT64_MAX));
  EXPECT_THAT(parse_number_axis("--seed", "4611686018427387904..9223372036854775807*2", all),
              ElementsAre(std::int64_t{1} << 62));
}

RC_GTEST_PROP(AxisProperty, ListsComeBackAsTheyWere, ()) {
  const auto values = *rc::gen::nonEmpty(
      rc::gen::unique<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 1 << 20)));
  RC_ASSERT(parse(fmt::format("{}", fmt::join(values, ","))) == values);
}

RC_GTEST_PROP(AxisProperty, SteppedRangesAreArithmetic, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(1, 5000);
  const auto high = low + *rc::gen::inRange<std::int64_t>(0, 5000);
  const auto step = *rc::gen::inRange<std::int64_t>(1, 700);
  std::vector<std::int64_t> expected;
  for (std::int64_t value = low; value <= high; value += step) expected.push_back(value);
  RC_ASSERT(parse(fmt::format("{}..{}+{}", low, high, step)) == expected);
}

RC_GTEST_PROP(AxisProperty, MultipliedRangesAreGeometric, ()) {
  const auto low = *rc::gen::inRange<std::int64_t>(1, 5000);
  const auto high = low + *rc::gen::inRange<std::int64_t>(0, 1 << 20);
  const auto factor = *rc::gen::inRange<std::int64_t>(2, 9);
  const auto values = parse(fmt::format("{}..{}*{}", low, high, factor));
  RC_ASSERT(values.front() == low);
  RC_ASSERT(values.back() <= high && values.back() * factor > high);
  for (std::size_t i = 1; i < values.size(); ++i) RC_ASSERT(values[i] == values[i - 1] * factor);
}

std::string text_of(const std::string& text) {
  return axis_text(parse_number_axis("--n", text, {0, INT64_MAX}));
}

TEST(Axis, EqualValuesHaveOneText) {
  EXPECT_EQ(text_of("1k"), "1024");
  EXPECT_EQ(text_of("64,128"), "64,128");
  EXPECT_EQ(text_of("512,1k,2048,4k"), "512..4096*2");
  EXPECT_EQ(text_of("512..5k*2"), "512..4096*2");
  EXPECT_EQ(text_of("32,64,96,128,7"), "32..128+32,7");
  EXPECT_EQ(text_of("0,1,2,3,9,27,81"), "0..3+1,9..81*3");
  EXPECT_EQ(text_of("9,6,3"), "9,6,3");
  EXPECT_EQ(text_of("9223372036854775806,9223372036854775807"), "9223372036854775806,9223372036854775807");
}

RC_GTEST_PROP(AxisProperty, TextsReadBack, ()) {
  std::string text = "5";
  for (int item = *rc::gen::inRange(0, 4); item > 0; --item) {
    const auto low = *rc::gen::inRange<std::int64_t>(1, 40);
    const auto by = *rc::gen::inRange<std::int64_t>(2, 4);
    const auto sign = *rc::gen::element(',', '+', '*');
    text += sign == ',' ? fmt::format(",{},{}", low, by) : fmt::format(",{}..{}{}{}", low, low * 9, sign, by);
  }
  const std::vector<std::int64_t> values = parse(text);
  RC_ASSERT(parse(axis_text(values)) == values);
}

struct Refused {
  const char* text;
  const char* accepted;  // part of what the error says is taken
};

class AxisRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(AxisRefuses, NamesOptionValueAndWhatIsAccepted) {
  try {
    parse(GetParam().text);
    FAIL() << GetParam().text << " was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--n");
    EXPECT_THAT(error.accepted(), HasSubstr(GetParam().accepted));
    EXPECT_THAT(std::string(error.what()), ::testing::Not(HasSubstr("\n")));
    if (*GetParam().text != '\0') {
      EXPECT_FALSE(error.value().empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, AxisRefuses,
    ::testing::Values(Refused{"", "expected a whole number from 1 to 1073741824"},
                      Refused{"0", "expected a whole number from 1 to 1073741824"},
                      Refused{"-1", "expected a whole number"}, Refused{"+1", "expected a whole number"},
                      Refused{"4611686018427387904", "expected a whole number"},
                      Refused{"99999999999999999999", "expected a whole number"},
                      Refused{"9223372036854775807k", "expected a whole number"},
                      Refused{"2048m", "expected a whole number"}, Refused{"1.5", "expected a whole number"},
                      Refused{"1e3", "expected a whole number"}, Refused{"k", "expected a whole number"},
                      Refused{"0x10", "expected a whole number"}, Refused{" 64", "expected a whole number"},
                      Refused{"abc", "expected a whole number"}, Refused{",", "without empty items"},
                      Refused{"64,", "without empty items"}, Refused{",64", "without empty items"},
                      Refused{"1..64", "expected lo..hi*factor or lo..hi+step"},
                      Refused{"64..32+1", "lo no larger than hi"},
                      Refused{"1..64*1", "expected a factor that is a whole number from 2 on"},
                      Refused{"1..64*0", "expected a factor"}, Refused{"1..64*1.5", "expected a factor"},
                      Refused{"1..64+0", "expected a step that is a whole number from 1 on"},
                      Refused{"1..64+", "expected a step"}, Refused{"..64+1", "expected a whole number"},
                      Refused{"1..+1", "expected a whole number"},
                      Refused{"0..8+1", "expected a whole number"},
                      Refused{"1..1m+1", "at most 100000 values"}));

}  // namespace
}  // namespace hbmscope
