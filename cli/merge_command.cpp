#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/axis.h"
#include "cli/choose_gpu.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/point_columns.h"
#include "cli/shard.h"
#include "cli/terminal.h"
#include "reports/journal.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  OutputPaths outputs;
  TerminalArguments terminal;
};

struct ShardFile {
  std::string path;
  Shard shard;
  std::size_t points = 0;  // of the shard, whether they are there or not
  RunRecords contents;
};

ShardFile read_shard(const std::string& path) {
  ShardFile file{.path = path, .shard = {}, .points = 0, .contents = read_journal(path)};
  const Configuration& configuration = file.contents.configuration;
  try {
    file.shard = parse_shard(setting(configuration, "--shard"));
    const std::int64_t all = parse_number("points", setting(configuration, "points"),
                                          {1, static_cast<std::int64_t>(kLargestPointCount)});
    file.points = range_of(file.shard, static_cast<std::size_t>(all)).size();
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: configuration.{}", path, error.input()), error.value(),
                    error.accepted());
  }
  return file;
}

void check_same_run(const ShardFile& file, const ShardFile& first) {
  const auto difference =
      first_difference(file.contents.configuration, first.contents.configuration, "--shard");
  if (difference) {
    throw UserError(fmt::format("{}: {}", file.path, difference->name), difference->one,
                    fmt::format("expected '{}' as in {}", difference->other, first.path));
  }
  if (file.shard.count != first.shard.count) {
    throw UserError(file.path + ": --shard", to_string(file.shard),
                    fmt::format("expected one of {} shards as in {}", first.shard.count, first.path));
  }
}

void check_overlaps(const std::vector<ShardFile>& files) {
  std::unordered_map<std::string, const ShardFile*> owners;
  for (const ShardFile& file : files) {
    for (const Record& record : file.contents.records) {
      const auto [owner, is_new] = owners.emplace(point_key(record), &file);
      if (is_new) continue;
      throw UserError(file.path, describe_point(record.point),
                      fmt::format("expected each point once; {} has it too", owner->second->path));
    }
  }
}

// Shards without a file, and files without all of their points. `files` are in the order of their shards.
void check_complete(const std::vector<ShardFile>& files) {
  std::vector<std::string> missing;
  for (std::size_t number = 1; number <= files.front().shard.count; ++number) {
    const auto has_number = [&](const ShardFile& file) { return file.shard.number == number; };
    if (std::none_of(files.begin(), files.end(), has_number))
      missing.push_back(to_string({number, files.front().shard.count}));
  }
  if (!missing.empty()) {
    throw UserError("merge", "", fmt::format("expected all shards; missing: {}", fmt::join(missing, ", ")));
  }
  for (const ShardFile& file : files) {
    if (file.contents.records.size() == file.points) continue;
    throw UserError(file.path, "",
                    fmt::format("holds {} of {} points; expected all, finish it with --resume",
                                file.contents.records.size(), file.points));
  }
}

int run_merge(const Arguments& arguments, const RunInfo& run) {
  const Terminal terminal = arguments.terminal.terminal();
  if (arguments.inputs.empty())
    throw UserError("merge", "", "expected the files that --journal wrote, one for each shard");
  if (!arguments.outputs.any())
    throw UserError("merge", "", "expected an output: --html, --csv, --json or --jsonl FILE");
  check_keeps(arguments.outputs, arguments.inputs);
  std::vector<ShardFile> files;
  for (const std::string& input : arguments.inputs) {
    files.push_back(read_shard(input));
    check_same_run(files.back(), files.front());
  }
  std::stable_sort(files.begin(), files.end(), [](const ShardFile& one, const ShardFile& other) {
    return one.shard.number < other.shard.number;
  });
  check_overlaps(files);
  check_complete(files);
  std::vector<Record> records;
  for (ShardFile& file : files) {
    std::move(file.contents.records.begin(), file.contents.records.end(), std::back_inserter(records));
  }
  Outputs outputs(arguments.outputs, run);
  outputs.add(records);
  outputs.commit(run, gpus_of(records));
  if (!terminal.quiet) write_stderr(fmt::format("{} points of {} files\n", records.size(), files.size()));
  return kDone;
}

}  // namespace

Action add_merge(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("files", arguments->inputs, "journals of all shards of one sweep or validate")
      ->type_name("FILE");
  arguments->outputs.add_to(command);
  arguments->terminal.add_to(command);
  command.footer(
      "The points come out in the order of a run without --shard. A point that two files hold, a shard that "
      "is missing\nor not finished, and files of runs that differ are refused.");
  return [arguments](const RunInfo& run) { return run_merge(*arguments, run); };
}

}  // namespace hbmscope
