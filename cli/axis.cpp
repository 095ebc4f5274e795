#include "cli/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

#include "sim/error.h"

namespace hbmscope {
namespace {

// The text of an option with what it accepts, so that every failure can name them.
struct Context {
  std::string_view option;
  std::string_view text;
  const NumberRange& range;

  [[noreturn]] void fail(std::string_view value, std::string_view accepted) const {
    throw UserError(std::string(option), std::string(value), std::string(accepted));
  }
};

std::int64_t multiplier_of(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K':
      return 1024;
    case 'm':
    case 'M':
      return std::int64_t{1024} * 1024;
    default:
      return 1;
  }
}

// Digits and an optional suffix; absent for anything else and for what exceeds 63 bits.
std::optional<std::int64_t> read_number(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const std::int64_t multiplier = multiplier_of(text.back());
  if (multiplier != 1) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (__builtin_mul_overflow(value, multiplier, &value)) return std::nullopt;
  return value;
}

std::int64_t number_in_range(const Context& context, std::string_view text) {
  const std::optional<std::int64_t> number = read_number(text);
  if (!number || *number < context.range.smallest || *number > context.range.largest) {
    context.fail(text.empty() ? context.text : text, accepted_numbers(context.range));
  }
  return *number;
}

// A factor or a step: any whole number from `smallest` on, whatever the values' own range.
std::int64_t increment(const Context& context, std::string_view item, std::string_view text,
                       std::int64_t smallest, std::string_view name) {
  const std::optional<std::int64_t> number = read_number(text);
  if (!number || *number < smallest) {
    context.fail(item, fmt::format("expected a {} that is a whole number from {} on", name, smallest));
  }
  return *number;
}

// Keeps the first of equal values and the number of values within bounds.
class AxisValues {
 public:
  explicit AxisValues(const Context& context) : context_(context) {}

  void add(std::int64_t value) {
    if (!seen_.insert(value).second) return;
    if (values_.size() == kLargestAxis) {
      context_.fail(context_.text, fmt::format("expected at most {} values in an axis", kLargestAxis));
    }
    values_.push_back(value);
  }
  std::vector<std::int64_t> take() { return std::move(values_); }

 private:
  const Context& context_;
  std::vector<std::int64_t> values_;
  std::unordered_set<std::int64_t> seen_;
};

// What makes a value of a range from the one before: '*' factor or '+' step.
struct Step {
  char sign = '+';
  std::int64_t by = 1;

  // False if the next value exceeds 63 bits.
  bool advance(std::int64_t& value) const {
    return !(sign == '*' ? __builtin_mul_overflow(value, by, &value)
                         : __builtin_add_overflow(value, by, &value));
  }
};

// "lo..hi*factor" or "lo..hi+step"; `dots` is where the ".." stands.
void add_range(const Context& context, std::string_view item, std::size_t dots, AxisValues& values) {
  const std::string_view rest = item.substr(dots + 2);
  const std::size_t sign = rest.find_first_of("*+");
  if (sign == std::string_view::npos) {
    context.fail(item, "expected lo..hi*factor or lo..hi+step");
  }
  const std::int64_t low = number_in_range(context, item.substr(0, dots));
  const std::int64_t high = number_in_range(context, rest.substr(0, sign));
  if (low > high) context.fail(item, "expected lo..hi with lo no larger than hi");
  const bool multiplies = rest[sign] == '*';
  const std::string_view text = rest.substr(sign + 1);
  const std::int64_t by =
      multiplies ? increment(context, item, text, 2, "factor") : increment(context, item, text, 1, "step");
  if (multiplies && low == 0) context.fail(item, "expected lo..hi*factor with lo from 1 on");
  const Step range{rest[sign], by};
  std::int64_t value = low;
  do {
    values.add(value);
  } while (range.advance(value) && value <= high);
}

// How many of the values, from the first on, the range makes.
std::size_t range_length(std::span<const std::int64_t> values, const Step& step) {
  std::size_t count = 1;
  std::int64_t next = values[0];
  while (count < values.size() && step.advance(next) && values[count] == next) ++count;
  return count;
}

// An item of an axis: a range of three values or more, or one value.
struct Item {
  std::size_t count = 1;
  std::string text;
};

Item first_item(std::span<const std::int64_t> values) {
  const std::int64_t low = values[0];
  if (values.size() > 1 && values[1] > low) {
    for (const Step& step : {Step{'+', values[1] - low}, Step{'*', low > 0 ? values[1] / low : 0}}) {
      const std::size_t count = range_length(values, step);
      if (count > 2) return {count, fmt::format("{}..{}{}{}", low, values[count - 1], step.sign, step.by)};
    }
  }
  return {1, fmt::format("{}", low)};
}

}  // namespace

std::string accepted_numbers(const NumberRange& range) {
  if (range.smallest == range.largest) return fmt::format("expected {}", range.smallest);
  return fmt::format("expected a whole number from {} to {}", range.smallest, range.largest);
}

std::int64_t parse_number(std::string_view option, std::string_view text, const NumberRange& range) {
  return number_in_range({option, text, range}, text);
}

std::vector<std::int64_t> parse_number_axis(std::string_view option, std::string_view text,
                                            const NumberRange& range) {
  const Context context{option, text, range};
  AxisValues values(context);
  for (const std::string& item : split_axis(option, text, accepted_numbers(range))) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos) {
      values.add(number_in_range(context, item));
    } else {
      add_range(context, item, dots, values);
    }
  }
  return values.take();
}

std::string axis_text(std::span<const std::int64_t> values) {
  std::vector<std::string> items;
  while (!values.empty()) {
    Item item = first_item(values);
    values = values.subspan(item.count);
    items.push_back(std::move(item.text));
  }
  return fmt::format("{}", fmt::join(items, ","));
}

std::vector<std::string> split_axis(std::string_view option, std::string_view text,
                                    std::string_view accepted) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item(text.substr(begin, end - begin));
    if (item.empty()) {
      throw UserError(std::string(option), std::string(text),
                      text.empty() ? fmt::format("an empty value is not accepted; {}", accepted)
                                   : fmt::format("{}, without empty items in the list", accepted));
    }
    items.push_back(item);
    begin = end + 1;
  }
  return items;
}

}  // namespace hbmscope
