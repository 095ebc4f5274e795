#pragma once

#include <chrono>
#include <string>

#include "cli/point_options.h"
#include "cli/shard.h"
#include "reports/configuration.h"
#include "reports/run_info.h"

namespace hbmscope {

// --journal, --resume and --shard: a run that outlives interruptions, and one of several that share the
// points.
struct LongRunArguments {
  std::string journal;
  bool resume = false;
  Shard shard;
  std::chrono::milliseconds sync_interval{0};  // of the journal

  // Registers the options; the arguments must outlive the command.
  void add_to(CLI::App& command);
};

// What a journal's run is about: `settings` of the command (its name among them), the points' options, what
// files that these name hold, the shard, and this program's version.
Configuration configuration_of(const Configuration& settings, const PointArguments& arguments,
                               const PointList& points, const Shard& shard, const RunInfo& run);

// The text of a setting that names a file: the name and a hash of what the file holds.
std::string file_setting(const std::string& path);

}  // namespace hbmscope
