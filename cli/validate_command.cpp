#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/measurements.h"
#include "cli/outputs.h"
#include "cli/point_options.h"
#include "cli/predict_points.h"
#include "cli/progress.h"
#include "cli/record_tables.h"
#include "cli/verdict.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Arguments {
  PointArguments points;
  OutputPaths outputs;
  TerminalArguments terminal;
  std::string counters = "auto";
  std::string recorded;
  Tolerance tolerance;
  bool dry_run = false;
};

void skip(Record& record, const std::string& reason) {
  record.status = Status::skipped;
  record.reason = reason;
}

// Predicts and measures all points; a point that cannot run stays as a row with the reason. Stops early when
// interrupted.
std::vector<Record> validate_points(const PointList& points, bool with_rows, Measurements& measurements,
                                    const Terminal& terminal, Outputs& outputs) {
  Progress progress("validating", "points", points.size(), terminal);
  PredictionScratch scratch;
  Point point;
  std::vector<Record> records;
  for (std::size_t index = 0; index < points.size() && !interrupted(); ++index) {
    const PointContext context = points.fill(index, point);
    try {
      records.push_back(predict_record(context, point, scratch, with_rows));
    } catch (const UserError& error) {
      rethrow_with_point(error, point);
    }
    Record& record = records.back();
    if (!context.variant->has_kernel) {
      skip(record, fmt::format("{} {} is a model without a kernel", point.algorithm, point.variant));
    } else if (!*record.feasible) {
      skip(record, record.reason);
    } else {
      measurements.fill(scratch.program, record);
    }
    outputs.add(record);
    progress.advance();
  }
  return records;
}

std::size_t count(const std::vector<Record>& records, Status status) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [&](const Record& record) { return record.status == status; }));
}

// The exit code, with the reason on standard error where it is not kDone.
int outcome(const std::vector<Record>& records, const Tolerance& tolerance) {
  const std::size_t failed = count(records, Status::failed);
  const std::string broken = tolerance_report(records, tolerance);
  write_stderr(broken);
  if (failed > 0) {
    write_stderr(fmt::format("hbmscope: {} of {} points failed\n", failed, records.size()));
    return kFailed;
  }
  if (!broken.empty()) return kFailed;
  const std::size_t skipped = count(records, Status::skipped);
  if (skipped == records.size()) {
    throw UserError("points", "",
                    fmt::format("none of {} could be measured: {}", records.size(), records.front().reason));
  }
  return kDone;
}

int run_validate(const Arguments& arguments, RunInfo run) {
  const Terminal terminal = arguments.terminal.terminal();
  const CounterMode mode = parse_counter_mode(arguments.counters);
  const PointList points = arguments.points.points();
  if (arguments.dry_run) {
    print_point_count(points);
    return kDone;
  }
  Outputs outputs(arguments.outputs, run);
  const std::unique_ptr<Measurements> measurements =
      open_measurements(mode, points.gpus(), arguments.recorded, terminal);
  measurements->describe(run);
  const std::vector<Record> records =
      validate_points(points, arguments.outputs.want_rows(), *measurements, terminal, outputs);
  outputs.commit(run, points.gpus());
  if (!arguments.outputs.use_stdout() && !records.empty()) {
    write_stdout(validation_table(records, arguments.tolerance, terminal.color_out) + "\n" +
                 verdict(records, terminal.color_out));
  }
  if (records.size() < points.size()) return end_interrupted(records.size(), points.size());
  return outcome(records, arguments.tolerance);
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
  arguments->points.add_to(command);
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
  arguments->outputs.add_to(command);
  command.add_flag("--dry-run", arguments->dry_run, "print the number of points and stop")->group("Output");
  arguments->terminal.add_to(command);
  command.footer(
      command.get_footer() +
      "\n--counters: auto is live where this GPU's counters can be read, else recorded; live leaves counters "
      "that cannot"
      "\nbe read empty; required fails the point; recorded needs no GPU; none runs, checks and times, and "
      "counts nothing."
      "\nPoints that no kernel can run are rows 'skipped' with the reason; exit code 2 if all are.");
  return [arguments](const RunInfo& run) { return run_validate(*arguments, run); };
}

}  // namespace hbmscope
