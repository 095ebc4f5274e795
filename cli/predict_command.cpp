#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/point_options.h"
#include "cli/predict_points.h"
#include "cli/record_tables.h"
#include "cli/terminal.h"

namespace hbmscope {
namespace {

struct Arguments {
  PointArguments points;
  OutputPaths outputs;
  TerminalArguments terminal;
  bool dry_run = false;
};

int run_predict(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  const PointList points = arguments.points.points();
  if (arguments.dry_run) {
    print_point_count(points);
    return kDone;
  }
  Outputs outputs(arguments.outputs, run);
  std::vector<Record> records;
  const bool single = points.size() == 1;
  predict_points(points, arguments.outputs.want_rows() || single, terminal,
                 [&](Record& record) { records.push_back(std::move(record)); });
  outputs.add(records);
  outputs.commit(run, points.gpus());
  if (!arguments.outputs.use_stdout()) {
    write_stdout(prediction_table(records, terminal.color_out));
    if (single && !records.empty()) write_stdout("\n" + launch_table(records[0], terminal.color_out));
  }
  return records.size() == points.size() ? kDone : end_interrupted(records.size(), points.size());
}

}  // namespace

Action add_predict(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->points.add_to(command);
  arguments->outputs.add_to(command);
  command.add_flag("--dry-run", arguments->dry_run, "print the number of points and stop")->group("Output");
  arguments->terminal.add_to(command);
  return [arguments](const RunInfo& run) { return run_predict(*arguments, run); };
}

}  // namespace hbmscope
