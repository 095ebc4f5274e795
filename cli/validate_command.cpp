#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/assumed_text.h"
#include "cli/command.h"
#include "cli/hbm_text.h"
#include "cli/measurements.h"
#include "cli/record_tables.h"
#include "cli/run_arguments.h"
#include "cli/unknown_rates.h"
#include "cli/validate_points.h"
#include "cli/verdict.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Arguments {
  RunArguments run;
  std::string counters = "auto";
  std::string recorded;
  Tolerance tolerance;
};

// What decides, besides the points, what a record says.
Configuration settings_of(const Arguments& arguments) {
  Configuration settings{{"command", "validate"}, {"--counters", arguments.counters}};
  if (!arguments.recorded.empty()) settings.emplace_back("--recorded", file_setting(arguments.recorded));
  return settings;
}

int run_validate(const Arguments& arguments, CounterMode mode, const PointWork& work, RunInfo run) {
  const OutputPaths& paths = arguments.run.outputs;
  Outputs outputs(paths, run);
  const std::unique_ptr<Measurements> measurements =
      open_measurements(mode, work.points.gpus(), arguments.recorded, work.terminal);
  measurements->describe(run);
  const bool few = work.range.size() <= kFewPoints;
  const std::vector<Record> records = validate_points(work, arguments.run.want_rows() || few, *measurements,
                                                      [&](const Record& record) { outputs.add(record); });
  outputs.commit(run, work.points.gpus());
  if (!paths.use_stdout() && !records.empty()) {
    write_stdout(validation_table(records, arguments.tolerance, work.terminal.color_out) + "\n" +
                 verdict(records, work.terminal.color_out) +
                 measured_hbm_text(records, work.terminal.color_out) +
                 unknown_rates(work.points.gpus(), work.points.dtypes()) + assumed_text(work.points));
  }
  if (records.size() < work.range.size()) return end_interrupted(records.size(), work.range.size());
  return validation_exit_code(records, arguments.tolerance);
}

// An option whose text may not be empty, so that an unset variable of a script does not pass for "not given".
void add_checked(CLI::App& command, const std::string& option, const char* placeholder, const char* help,
                 const char* accepted, const std::function<void(const std::string&)>& store) {
  command
      .add_option_function<std::string>(
          option,
          [option, accepted, store](const std::string& text) {
            if (text.empty())
              throw UserError(option, "", fmt::format("an empty value is not accepted; {}", accepted));
            store(text);
          },
          help)
      ->type_name(placeholder)
      ->group("Measurement");
}

}  // namespace

Action add_validate(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->run.add_points_to(command);
  command
      .add_option("--counters", arguments->counters,
                  "where measured bytes come from: auto, live, required, recorded, none [auto]")
      ->type_name("MODE")
      ->group("Measurement");
  add_checked(command, "--recorded", "FILE",
              "CSV, JSON or JSONL with recorded rows, instead of those built in (hbmscope list recorded)",
              "expected a CSV, JSON or JSONL file of hbmscope's",
              [store = arguments.get()](const std::string& text) { store->recorded = text; });
  add_checked(
      command, "--tolerance", "LIST",
      "largest error for each boundary, such as l2=0.5%,sram=2%,hbm=10%; beyond it the exit code is 1",
      "expected such as l2=0.5%,sram=2%,hbm=10%",
      [store = arguments.get()](const std::string& text) { store->tolerance = parse_tolerance(text); });
  arguments->run.add_outputs_to(command);
  arguments->run.add_long_run_to(command, std::chrono::milliseconds(0));
  arguments->run.add_threads_to(command);
  arguments->run.add_terminal_to(command);
  command.footer(
      command.get_footer() +
      "\n--counters: auto is live where this GPU's counters can be read, else recorded; live leaves counters "
      "that cannot"
      "\nbe read empty; required fails the point; recorded needs no GPU; none runs, checks and times, and "
      "counts nothing."
      "\nPoints that no kernel can run are rows 'skipped' with the reason; exit code 2 if all are."
      "\nEach point is on the disk, in the journal, before the next one begins.");
  return [arguments](const RunInfo& run) {
    const CounterMode mode = parse_counter_mode(arguments->counters);
    check_keeps(arguments->run.outputs, {arguments->recorded});
    return run_points(arguments->run, run, settings_of(*arguments),
                      [&](const PointWork& work) { return run_validate(*arguments, mode, work, run); });
  };
}

}  // namespace hbmscope
