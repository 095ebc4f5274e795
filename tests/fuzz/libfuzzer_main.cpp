// libFuzzer brings main() and calls this for every input that it makes up.
#include <cstdint>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // An empty input may come as null.
  hbmscope::fuzz::check_input(size == 0 ? "" : std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
