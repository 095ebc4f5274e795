#pragma once

#include <string>
#include <vector>

namespace hbmscope {

// Which run of hbmscope made a set of records. Empty text is absent.
struct RunInfo {
  std::string version;
  std::string git_commit;  // "-dirty" with local changes
  std::vector<std::string> argv;
  std::string date;    // UTC, "2026-11-29T12:00:00Z"
  std::string gpu;     // the installed GPU as its driver names it
  std::string driver;  // the driver's version
  std::string cuda;    // the toolkit's version
};

// This binary, these arguments, now. The GPU, driver and CUDA are left to whoever has them.
RunInfo this_run(std::vector<std::string> argv);

}  // namespace hbmscope
