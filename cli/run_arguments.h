#pragma once

#include <functional>

#include "cli/long_run.h"
#include "cli/outputs.h"
#include "cli/point_options.h"
#include "cli/point_work.h"
#include "cli/terminal.h"

namespace hbmscope {

// What the commands that work through points have in common.
struct RunArguments {
  PointArguments points;
  OutputPaths outputs;
  LongRunArguments long_run;
  TerminalArguments terminal;
  bool dry_run = false;
  std::size_t threads = 0;  // 0: as many as the machine has

  // JSON, the page and the journal hold rows of launches and of their tensors' bytes.
  bool want_rows() const { return outputs.want_rows() || !long_run.journal.empty(); }

  // Register the options, in the order of the help; the arguments must outlive the command.
  void add_points_to(CLI::App& command);
  void add_outputs_to(CLI::App& command);
  void add_long_run_to(CLI::App& command, std::chrono::milliseconds journal_sync_interval);
  void add_threads_to(CLI::App& command);
  void add_terminal_to(CLI::App& command);
};

// Makes the points, opens the journal and runs `body` on them; with --dry-run it prints their number instead.
// Returns the exit code. `settings` are what the command itself adds to the journal's configuration.
int run_points(const RunArguments& arguments, const RunInfo& run, const Configuration& settings,
               const std::function<int(const PointWork& work)>& body);

}  // namespace hbmscope
