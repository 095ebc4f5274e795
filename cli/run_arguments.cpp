#include "cli/run_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace hbmscope {

void RunArguments::add_points_to(CLI::App& command) { points.add_to(command); }

void RunArguments::add_outputs_to(CLI::App& command) { outputs.add_to(command); }

void RunArguments::add_terminal_to(CLI::App& command) {
  command.add_flag("--dry-run", dry_run, "print the number of points and stop")->group("Output");
  terminal.add_to(command);
}

int run_points(const RunArguments& arguments, const std::function<int(const PointWork& work)>& body) {
  const Terminal terminal = arguments.terminal.terminal();
  const PointList points = arguments.points.points();
  const PointWork work{.points = points, .range = {0, points.size()}, .terminal = terminal};
  if (arguments.dry_run) {
    write_stdout(fmt::format("{} point{}\n", work.range.size(), work.range.size() == 1 ? "" : "s"));
    return kDone;
  }
  return body(work);
}

}  // namespace hbmscope
