#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/calibration_text.h"
#include "cli/choose_gpu.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "profiler/calibration/calibrate.h"
#include "profiler/calibration/calibrated_gpu.h"
#include "profiler/calibration/evidence.h"
#include "reports/output_file.h"
#include "sim/error.h"
#include "sim/gpu_toml.h"

namespace hbmscope {
namespace {

struct Arguments {
  std::string output = "-";
  std::string evidence;
  std::string gpu = "auto";
  std::string name;
  std::string only;
  TerminalArguments terminal;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// The description to start from: the one that is named, or the one that comes with hbmscope.
std::optional<GpuSpec> description_of(const std::string& wanted, const std::string& full_name) {
  if (wanted == "auto") {
    for (const std::string& name : gpu_names()) {
      GpuSpec gpu = load_gpu(name);
      if (describes(gpu, full_name)) return gpu;
    }
    return std::nullopt;
  }
  GpuSpec gpu = load_gpu(wanted);
  if (!describes(gpu, full_name))
    throw UserError("--gpu", wanted, fmt::format("expected a description of the installed {}", full_name));
  return gpu;
}

CalibratedGpu describe(const CalibrationOutcome& outcome, const Arguments& arguments, const RunInfo& run) {
  const std::string stamp = fmt::format("hbmscope calibrate, {}", run.date.substr(0, 10));
  GpuSpec start = outcome.described ? *outcome.described
                                    : described_by_driver(outcome.facts, outcome.findings, outcome.chip);
  if (!arguments.name.empty()) start.name = arguments.name;
  return calibrated_gpu(std::move(start), outcome.facts, outcome.findings, stamp);
}

// The replay of the written description beside what was counted.
void replay_patterns(std::vector<PatternRow>& rows, const GpuSpec& gpu, const std::string& evidence) {
  if (rows.empty()) return;
  EvidenceFile file(evidence, "patterns.csv", pattern_csv_header());
  for (PatternRow& row : rows) {
    row.replayed = replay_pattern(row.pattern, gpu);
    file.row(pattern_csv_row(row));
  }
}

std::string comment_of(const CalibrationOutcome& outcome, const RunInfo& run) {
  return fmt::format(
      "{}, measured by hbmscope calibrate on {}{}.\nWhat says neither \"measured\" nor when is from {}.",
      outcome.facts.full_name, run.date,
      outcome.facts.driver.empty() ? "" : fmt::format(" with driver {}", outcome.facts.driver),
      outcome.described ? fmt::format("the description {}", outcome.described->name)
                        : "the driver and the programming guide");
}

int run_calibrate(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  const std::vector<std::string_view> steps = chosen_steps(words_of(arguments.only));
  OutputFile output("--output", arguments.output);
  CalibrationOutcome outcome =
      calibrate({.steps = steps,
                 .evidence = arguments.evidence,
                 .describe = [&](const std::string& name) { return description_of(arguments.gpu, name); },
                 .say =
                     [&](const std::string& line) {
                       if (!terminal.quiet) write_stderr(fmt::format("{}\n", one_line(line)));
                     },
                 .stopped = [] { return interrupted(); }});
  if (interrupted()) return kInterrupted;  // nothing is written
  if (outcome.failures.size() == steps.size())
    throw std::runtime_error(fmt::format("nothing could be measured: {}", fmt::join(outcome.failures, "; ")));
  const CalibratedGpu calibrated = describe(outcome, arguments, run);
  const std::string text = gpu_toml(calibrated.gpu, comment_of(outcome, run));
  const GpuSpec written = parse_gpu(text, "the written description");
  replay_patterns(outcome.findings.patterns, written, arguments.evidence);
  output.write(text);
  output.commit();
  const bool summary_to_stdout = arguments.output != "-";
  const std::string summary =
      calibration_text(outcome, calibrated, summary_to_stdout ? terminal.color_out : terminal.color_err);
  if (summary_to_stdout) {
    write_stdout(summary);
  } else if (!terminal.quiet) {
    write_stderr(summary);
  }
  return outcome.failures.empty() && calibrated.refused.empty() ? kDone : kFailed;
}

std::string step_lines() {
  std::string lines;
  for (const CalibrationStep& step : calibration_steps())
    lines += fmt::format("\n  {:<10}{}", step.name, step.what);
  return lines;
}

}  // namespace

Action add_calibrate(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("-o,--output", arguments->output, "the GPU file [-: standard output]")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--evidence", arguments->evidence, "folder for the raw measurements, as CSV files")
      ->type_name("FOLDER")
      ->group("Output");
  command.add_option("--name", arguments->name, "the GPU's name in the file [as in the description]")
      ->type_name("NAME")
      ->group("Output");
  command
      .add_option("--gpu", arguments->gpu,
                  "the description to start from, a name or a file [auto: that of the installed GPU]")
      ->type_name("GPU")
      ->group("Measurement");
  command.add_option("--only", arguments->only, "some of the measurements below, and what they need [all]")
      ->type_name("LIST")
      ->group("Measurement");
  arguments->terminal.add_to(command);
  command.footer(
      "Measures the installed GPU, which should do nothing else, and writes a file for --gpu: a minute, and "
      "some "
      "more for compiling the first time."
      "\nWhat was measured says so and when, published rates stay beside it. A measurement that fails says "
      "why,"
      "\nits values stay as they were, and the exit code is 1. Measurements:" +
      step_lines());
  return [arguments](const RunInfo& run) { return run_calibrate(*arguments, run); };
}

}  // namespace hbmscope
