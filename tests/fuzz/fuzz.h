#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sim/error.h"

namespace hbmscope::fuzz {

// Each fuzzer defines this: reads an input, checks with require() what must hold for any, and says whether
// the input was accepted. libfuzzer_main.cpp makes inputs up, corpus_main.cpp reads them from files.
bool check_input(std::string_view input);

// Ends the program, naming the property, if it does not hold.
void require(bool holds, const char* property);

// What `read()` gives; absent if it refuses the input with a UserError. Any other exception is a finding and
// ends the program.
template <class Read>
auto accepted(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace hbmscope::fuzz
