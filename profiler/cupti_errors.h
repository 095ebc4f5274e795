#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hbmscope {

// A CUptiResult in words, with what a user can do about it. Codes are those of cupti_result.h.
struct CuptiErrorText {
  int code;
  std::string_view name;  // "CUPTI_ERROR_HARDWARE_BUSY"
  std::string_view meaning;
  std::string_view cure;
};

std::span<const CuptiErrorText> cupti_error_texts();

// Null for a code that the table does not explain.
const CuptiErrorText* find_cupti_error(int code);

// The call, what went wrong, and the cure: "cuptiRangeProfilerStart: the counters are in use by another
// profiler (CUPTI_ERROR_HARDWARE_BUSY, 26); stop it; …". A code without a row gives its number and `name`,
// never an empty text.
std::string cupti_error_words(std::string_view call, int code, std::string_view name = "");

}  // namespace hbmscope
