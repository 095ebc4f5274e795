#include <CLI/CLI.hpp>
#include <memory>

#include "cli/assumed_text.h"
#include "cli/command.h"
#include "cli/hbm_text.h"
#include "cli/notes.h"
#include "cli/record_tables.h"
#include "cli/roof_text.h"
#include "cli/run_arguments.h"
#include "cli/unknown_rates.h"
#include "sim/crossovers.h"

namespace hbmscope {
namespace {

void add_crossovers(const PointWork& work, std::vector<Record>& records) {
  PredictionScratch scratch;
  Point point;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const PointContext context = work.points.fill(work.range.begin + i, point);
    records[i].crossovers = find_crossovers(context, point, scratch);
  }
}

// Of few points the rates are said with the roofs of each.
std::string below_table(const PointList& points, const std::vector<Record>& records, bool few) {
  Notes notes;
  for (const Record& record : records) notes.add(record);
  const std::string text =
      (few ? "" : unknown_rates(points.gpus(), points.dtypes())) + notes.text() + assumed_text(points);
  return text.empty() ? "" : "\n" + text;
}

int run_predict(const RunArguments& arguments, const PointWork& work, const RunInfo& run) {
  Outputs outputs(arguments.outputs, run);
  std::vector<Record> records;
  const bool few = work.range.size() <= kFewPoints;
  const PredictedPoints made = predict_points(work, arguments.outputs.want_rows() || few,
                                              [&](Record& record) { records.push_back(std::move(record)); });
  if (few) add_crossovers(work, records);
  outputs.add(records);
  outputs.commit(run, work.points.gpus());
  if (!arguments.outputs.use_stdout()) {
    write_stdout(prediction_table(records, work.terminal.color_out));
    if (records.size() == 1 && records[0].prediction)
      write_stdout("\n" + launch_table(records[0], work.terminal.color_out));
    if (few) write_stdout(roof_text(records, work.terminal.color_out));
    write_stdout(below_table(work.points, records, few));
  }
  return prediction_exit_code(made, work);
}

}  // namespace

Action add_predict(CLI::App& command) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->add_points_to(command);
  arguments->add_outputs_to(command);
  arguments->add_threads_to(command);
  arguments->add_terminal_to(command);
  command.footer(
      command.get_footer() +
      "\nTimes are lower bounds: the roofs at full rate, launch by launch. Up to four points are "
      "explained: every roof's"
      "\ntime, why the point is memory- or compute-bound, and along which sizes the limiter changes hands.");
  return [arguments](const RunInfo& run) {
    return run_points(*arguments, run, {},
                      [&](const PointWork& work) { return run_predict(*arguments, work, run); });
  };
}

}  // namespace hbmscope
