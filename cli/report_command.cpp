#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/choose_gpu.h"
#include "cli/command.h"
#include "cli/hbm_text.h"
#include "cli/outputs.h"
#include "cli/record_explainer.h"
#include "cli/terminal.h"
#include "cli/verdict.h"
#include "reports/records_file.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  OutputPaths outputs;
  std::optional<std::size_t> timeline;  // number of the point that is drawn over time
  TerminalArguments terminal;
};

std::size_t parse_point_number(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw UserError("--timeline", text, "expected the number of a point, from 0 on");
  return number;
}

// What the files do not hold, or only for other points.
void explain(const Arguments& arguments, std::span<const GpuSpec> gpus, std::vector<Record>& records) {
  RecordExplainer explainer(gpus);
  if (arguments.outputs.want_rows() || records.size() <= kFewPoints) {
    for (Record& record : records) explainer.add_reasons(record);
  }
  if (!arguments.timeline) return;
  const std::string number = fmt::format("{}", *arguments.timeline);
  if (*arguments.timeline >= records.size()) {
    throw UserError("--timeline", number, fmt::format("expected a point from 0 to {}", records.size() - 1));
  }
  for (Record& record : records) record.timeline.reset();
  if (!explainer.add_timeline(records[*arguments.timeline])) {
    throw UserError("--timeline", number,
                    "expected a point that was predicted with a cold L2, on a GPU and by an algorithm that "
                    "hbmscope comes with");
  }
}

int run_report(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  if (arguments.inputs.empty())
    throw UserError("report", "", "expected CSV, JSON or JSONL files that hbmscope wrote");
  check_keeps(arguments.outputs, arguments.inputs);
  check_read_once(arguments.inputs);
  std::vector<Record> records;
  for (const std::string& input : arguments.inputs) {
    for (Record& record : read_records(input)) records.push_back(std::move(record));
  }
  if (records.empty()) {
    throw UserError(arguments.inputs.front(), "", "has no records; expected at least one row to report on");
  }
  const std::vector<GpuSpec> gpus = gpus_of(records);
  explain(arguments, gpus, records);
  Outputs outputs(arguments.outputs, run);
  outputs.add(records);
  outputs.commit(run, gpus);
  if (!arguments.outputs.use_stdout()) {
    write_stdout(verdict(records, terminal.color_out) + measured_hbm_text(records, terminal.color_out));
  }
  if (!terminal.quiet) write_stderr(fmt::format("{} points\n", records.size()));
  return kDone;
}

}  // namespace

Action add_report(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("files", arguments->inputs, "CSV, JSON or JSONL files that hbmscope wrote")
      ->type_name("FILE");
  arguments->outputs.add_to(command);
  command
      .add_option_function<std::string>(
          "--timeline",
          [store = arguments.get()](const std::string& text) { store->timeline = parse_point_number(text); },
          "the point, as the page numbers them, whose hit rate and live bytes --html draws over time [the "
          "one "
          "with most HBM bytes beyond the compulsory ones]")
      ->type_name("POINT")
      ->group("Output");
  arguments->terminal.add_to(command);
  return [arguments](const RunInfo& run) { return run_report(*arguments, run); };
}

}  // namespace hbmscope
