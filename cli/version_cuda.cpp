#include <fmt/format.h>

#include <exception>

#include "cli/version_text.h"
#include "profiler/cupti_library.h"

namespace hbmscope {

std::string cupti_text() {
  try {
    cupti();
    // From CUDA 13 on the number is the toolkit's (130000 = 13.0); before, CUPTI counted its own versions.
    const unsigned version = cupti_version();
    if (version >= 100'000) return fmt::format("CUPTI {}.{}", version / 10'000, version % 10'000 / 100);
    return fmt::format("CUPTI API {}", version);
  } catch (const std::exception& error) {
    return std::string("absent: ") + error.what();
  }
}

}  // namespace hbmscope
