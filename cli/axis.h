#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// An axis is what an option that names a point takes: a list of items separated by commas. An item is one
// value, or, for numbers, a range with both ends included: "lo..hi*factor" or "lo..hi+step". A number may end
// in k (1024) or m (1024²). A value that comes up twice counts once; the order is kept.

inline constexpr std::size_t kLargestAxis = 100'000;  // values of one axis

// The values that a numeric option takes.
struct NumberRange {
  std::int64_t smallest = 1;
  std::int64_t largest = 1;
};

// "expected a whole number from 1 to 1073741824, …": the sentence for help and errors.
std::string accepted_numbers(const NumberRange& range);

// Throws UserError(option, …) for what is no axis of whole numbers within the range.
std::vector<std::int64_t> parse_number_axis(std::string_view option, std::string_view text,
                                            const NumberRange& range);

// The text of an axis with these values, the same whatever text they came from: "512..4096*2,5000".
std::string axis_text(std::span<const std::int64_t> values);

// One whole number with an optional k or m, no list.
std::int64_t parse_number(std::string_view option, std::string_view text, const NumberRange& range);

// The items of a list, as they stand. Throws UserError for an empty list or item; `accepted` says what is
// taken.
std::vector<std::string> split_axis(std::string_view option, std::string_view text,
                                    std::string_view accepted);

}  // namespace hbmscope
