#include "reports/run_info.h"

#include <fmt/chrono.h>

#include <chrono>
#include <utility>

#include "hbmscope/version.h"

namespace hbmscope {

RunInfo this_run(std::vector<std::string> argv) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.version = std::string(kVersion),
          .git_commit = std::string(kCommit),
          .argv = std::move(argv),
          .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))};
}

}  // namespace hbmscope
