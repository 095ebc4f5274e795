#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/assumed_text.h"
#include "cli/command.h"
#include "cli/notes.h"
#include "cli/run_arguments.h"
#include "cli/unknown_rates.h"

namespace hbmscope {
namespace {

int run_sweep(const RunArguments& arguments, const PointWork& work, const RunInfo& run) {
  OutputPaths paths = arguments.outputs;
  if (!paths.any() && work.journal == nullptr) paths.csv = "-";
  Outputs outputs(paths, run);
  const auto start = std::chrono::steady_clock::now();
  Notes notes;
  const PredictedPoints made = predict_points(work, arguments.want_rows(), [&](const Record& record) {
    outputs.add(record);
    notes.add(record);
  });
  outputs.commit(run, work.points.gpus());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!work.terminal.quiet) {
    write_stderr(fmt::format("{} points in {:.2f} s\n", made.done, seconds) +
                 unknown_rates(work.points.gpus(), work.points.dtypes()) + notes.text() +
                 assumed_text(work.points));
  }
  return prediction_exit_code(made, work);
}

}  // namespace

Action add_sweep(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->add_points_to(command);
  arguments->add_outputs_to(command);
  arguments->add_long_run_to(command, std::chrono::seconds(1));
  arguments->add_threads_to(command);
  arguments->add_terminal_to(command);
  command.footer(
      command.get_footer() +
      "\nWithout an output and a journal, CSV goes to standard output. The journal is on the disk once "
      "a second:"
      "\na sweep that is killed makes the points of its last second again.");
  return [arguments](const RunInfo& run) {
    return run_points(*arguments, run, {{"command", "sweep"}},
                      [&](const PointWork& work) { return run_sweep(*arguments, work, run); });
  };
}

}  // namespace hbmscope
