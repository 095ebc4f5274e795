#include "cli/run_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "cli/axis.h"
#include "cli/command.h"
#include "sim/error.h"

namespace hbmscope {

void RunArguments::add_points_to(CLI::App& command) { points.add_to(command); }

void RunArguments::add_outputs_to(CLI::App& command) { outputs.add_to(command); }

void RunArguments::add_long_run_to(CLI::App& command, std::chrono::milliseconds journal_sync_interval) {
  long_run.sync_interval = journal_sync_interval;
  long_run.add_to(command);
}

void RunArguments::add_threads_to(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "-j,--threads",
          [this](const std::string& text) {
            threads = static_cast<std::size_t>(parse_number("--threads", text, {1, 1024}));
          },
          "threads that replay points (--l2 replay) [as many as the machine has]")
      ->type_name("N")
      ->group("Output");
}

void RunArguments::add_terminal_to(CLI::App& command) {
  command.add_flag("--dry-run", dry_run, "print the number of points and stop")->group("Output");
  terminal.add_to(command);
}

namespace {

// Null without --journal.
std::unique_ptr<Journal> open_journal(const RunArguments& arguments, const RunInfo& run,
                                      const Configuration& settings, const PointList& points) {
  const LongRunArguments& long_run = arguments.long_run;
  if (long_run.journal.empty()) {
    if (long_run.resume) throw UserError("--resume", "", "expected --journal FILE: what to go on with");
    return nullptr;
  }
  std::vector<NamedPath> paths = arguments.outputs.named();
  paths.push_back({"--journal", long_run.journal});
  check_distinct(paths);
  return std::make_unique<Journal>(JournalOptions{long_run.journal, long_run.resume, long_run.sync_interval},
                                   run,
                                   configuration_of(settings, arguments.points, points, long_run.shard, run));
}

}  // namespace

int run_points(const RunArguments& arguments, const RunInfo& run, const Configuration& settings,
               const std::function<int(const PointWork& work)>& body) {
  const Terminal terminal = arguments.terminal.terminal();
  const PointList points = arguments.points.points();
  const LongRunArguments& long_run = arguments.long_run;
  PointWork work{.points = points, .range = range_of(long_run.shard, points.size()), .terminal = terminal};
  if (arguments.dry_run) {
    write_stdout(fmt::format("{} point{}\n", work.range.size(), work.range.size() == 1 ? "" : "s"));
    return kDone;
  }
  const std::unique_ptr<Journal> journal = open_journal(arguments, run, settings, points);
  if (journal != nullptr && long_run.resume && !terminal.quiet) {
    write_stderr(fmt::format("{} of {} points are in {} already\n", journal->known(), work.range.size(),
                             long_run.journal));
  }
  work.journal = journal.get();
  work.threads =
      arguments.threads > 0 ? arguments.threads : std::max(1U, std::thread::hardware_concurrency());
  return body(work);
}

}  // namespace hbmscope
