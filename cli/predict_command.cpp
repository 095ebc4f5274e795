#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/record_tables.h"
#include "cli/run_arguments.h"

namespace hbmscope {
namespace {

int run_predict(const RunArguments& arguments, const PointWork& work, const RunInfo& run) {
  Outputs outputs(arguments.outputs, run);
  std::vector<Record> records;
  const bool single = work.range.size() == 1;
  predict_points(work, arguments.outputs.want_rows() || single,
                 [&](Record& record) { records.push_back(std::move(record)); });
  outputs.add(records);
  outputs.commit(run, work.points.gpus());
  if (!arguments.outputs.use_stdout()) {
    write_stdout(prediction_table(records, work.terminal.color_out));
    if (single && !records.empty()) write_stdout("\n" + launch_table(records[0], work.terminal.color_out));
  }
  return records.size() == work.range.size() ? kDone : end_interrupted(records.size(), work.range.size());
}

}  // namespace

Action add_predict(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->add_points_to(command);
  arguments->add_outputs_to(command);
  arguments->add_terminal_to(command);
  return [arguments](const RunInfo& run) {
    return run_points(*arguments, run, {},
                      [&](const PointWork& work) { return run_predict(*arguments, work, run); });
  };
}

}  // namespace hbmscope
