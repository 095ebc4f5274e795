#pragma once

#include <functional>

#include "cli/outputs.h"
#include "cli/point_options.h"
#include "cli/point_work.h"
#include "cli/terminal.h"

namespace hbmscope {

// What the commands that work through points have in common.
struct RunArguments {
  PointArguments points;
  OutputPaths outputs;
  TerminalArguments terminal;
  bool dry_run = false;

  // Register the options, in the order of the help; the arguments must outlive the command.
  void add_points_to(CLI::App& command);
  void add_outputs_to(CLI::App& command);
  void add_terminal_to(CLI::App& command);
};

// Makes the points and runs `body` on them; with --dry-run it prints their number instead. Returns the exit
// code.
int run_points(const RunArguments& arguments, const std::function<int(const PointWork& work)>& body);

}  // namespace hbmscope
