// Numbers of an axis: in range, distinct, in the order of the items, and the same when written as a list.
#include "cli/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {
namespace {

constexpr std::string_view kOption = "--n";

using Numbers = std::vector<std::int64_t>;

// What one item stands for ascends; an axis is its items' values one after the other, each once.
void check_order(const std::vector<std::string>& items, const NumberRange& range, const Numbers& values) {
  Numbers expected;
  std::set<std::int64_t> seen;
  for (const std::string& item : items) {
    const auto of_item = accepted([&] { return parse_number_axis(kOption, item, range); });
    require(of_item.has_value(), "what a list takes is taken alone");
    require(std::is_sorted(of_item->begin(), of_item->end()), "a range ascends");
    for (const std::int64_t value : *of_item) {
      if (seen.insert(value).second) expected.push_back(value);
    }
  }
  require(values == expected, "an axis holds its items' values in their order, each once");
}

bool check_axis(std::string_view text, const NumberRange& range) {
  const auto values = accepted([&] { return parse_number_axis(kOption, text, range); });
  if (!values) return false;
  require(!values->empty() && values->size() <= kLargestAxis, "an axis has 1 to kLargestAxis values");
  for (const std::int64_t value : *values) {
    require(value >= range.smallest && value <= range.largest, "every value lies in the range");
  }
  check_order(split_axis(kOption, text, ""), range, *values);
  const std::string list = fmt::format("{}", fmt::join(*values, ","));
  require(parse_number_axis(kOption, list, range) == *values, "the values as a list are the same axis");
  require(parse_number_axis(kOption, axis_text(*values), range) == *values, "an axis's text is read back");
  return true;
}

void check_items(std::string_view text) {
  const auto items = accepted([&] { return split_axis(kOption, text, ""); });
  if (!items) return;
  require(fmt::format("{}", fmt::join(*items, ",")) == text, "the items make the text");
  for (const std::string& item : *items) {
    require(!item.empty() && item.find(',') == std::string::npos, "an item is one");
  }
}

}  // namespace

bool check_input(std::string_view input) {
  constexpr std::array ranges{NumberRange{1, std::int64_t{1} << 30},
                              NumberRange{0, std::numeric_limits<std::int64_t>::max()}, NumberRange{5, 5}};
  check_items(input);
  bool taken = false;
  for (const NumberRange& range : ranges) taken = check_axis(input, range) || taken;
  return taken;
}

}  // namespace hbmscope::fuzz
