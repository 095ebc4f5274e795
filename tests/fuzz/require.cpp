#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property violated: %s\n", property);
  std::abort();
}

}  // namespace hbmscope::fuzz
