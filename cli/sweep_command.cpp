#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/point_options.h"
#include "cli/predict_points.h"
#include "cli/terminal.h"

namespace hbmscope {
namespace {

struct Arguments {
  PointArguments points;
  OutputPaths outputs;
  TerminalArguments terminal;
  bool dry_run = false;
};

int run_sweep(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  const PointList points = arguments.points.points();
  if (arguments.dry_run) {
    print_point_count(points);
    return kDone;
  }
  OutputPaths paths = arguments.outputs;
  if (!paths.any()) paths.csv = "-";
  Outputs outputs(paths, run);
  const auto start = std::chrono::steady_clock::now();
  const std::size_t done =
      predict_points(points, paths.want_rows(), terminal, [&](const Record& record) { outputs.add(record); });
  outputs.commit(run, points.gpus());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!terminal.quiet) write_stderr(fmt::format("{} points in {:.2f} s\n", done, seconds));
  return done == points.size() ? kDone : end_interrupted(done, points.size());
}

}  // namespace

Action add_sweep(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->points.add_to(command);
  arguments->outputs.add_to(command);
  command.add_flag("--dry-run", arguments->dry_run, "print the number of points and stop")->group("Output");
  arguments->terminal.add_to(command);
  command.footer(command.get_footer() + "\nWithout an output, CSV goes to standard output.");
  return [arguments](const RunInfo& run) { return run_sweep(*arguments, run); };
}

}  // namespace hbmscope
