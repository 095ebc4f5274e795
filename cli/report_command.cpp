#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// A shipped GPU, or what --set made of one. Absent for a GPU that was described by a file: it is known by
// name only, and its roofs are left out of the page.
std::optional<GpuSpec> find_gpu(const std::string& name) {
  const std::vector<std::string> known = gpu_names();
  const std::string unchanged = name.substr(0, name.find('+'));
  if (std::find(known.begin(), known.end(), unchanged) == known.end()) return std::nullopt;
  try {
    return load_gpu(name);
  } catch (const UserError&) {  // changed in a way that this version does not know
    return std::nullopt;
  }
}

// Descriptions of the GPUs that the records name.
std::vector<GpuSpec> gpus_of(const std::vector<Record>& records) {
  std::vector<GpuSpec> gpus;
  for (const Record& record : records) {
    const std::string& name = record.point.gpu;
    const bool there =
        std::any_of(gpus.begin(), gpus.end(), [&](const GpuSpec& gpu) { return gpu.name == name; });
    if (there) continue;
    if (std::optional<GpuSpec> gpu = find_gpu(name)) gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

int run_report(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  if (arguments.inputs.empty())
    throw UserError("report", "", "expected CSV, JSON or JSONL files that hbmscope wrote");
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
