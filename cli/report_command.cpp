#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/choose_gpu.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "cli/verdict.h"
#include "reports/records_file.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  OutputPaths outputs;
  TerminalArguments terminal;
};

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
  Outputs outputs(arguments.outputs, run);
  outputs.add(records);
  outputs.commit(run, gpus_of(records));
  if (!arguments.outputs.use_stdout()) write_stdout(verdict(records, terminal.color_out));
  if (!terminal.quiet) write_stderr(fmt::format("{} points\n", records.size()));
  return kDone;
}

}  // namespace

Action add_report(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("files", arguments->inputs, "CSV, JSON or JSONL files that hbmscope wrote")
      ->type_name("FILE");
  arguments->outputs.add_to(command);
  arguments->terminal.add_to(command);
  return [arguments](const RunInfo& run) { return run_report(*arguments, run); };
}

}  // namespace hbmscope
