#include "cli/long_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/axis.h"
#include "kernels/fnv.h"
#include "reports/records_file.h"
#include "sim/attention_model.h"
#include "sim/error.h"

namespace hbmscope {

void LongRunArguments::add_to(CLI::App& command) {
  constexpr const char* kGroup = "Long runs";
  command.add_option("--journal", journal, "keep each record here as soon as it is there, as JSON Lines")
      ->type_name("FILE")
      ->group(kGroup)
      ->check(
          [](const std::string& given) {
            if (given.empty() || given == "-")
              throw UserError("--journal", given, "expected the name of a file");
            return std::string();
          },
          "");
  command.add_flag("--resume", resume, "go on with what the journal holds; begin it if it is not there")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--shard", [this](const std::string& text) { shard = parse_shard(text); },
          "the i-th of n blocks of the points, such as 2/4; hbmscope merge puts the journals together")
      ->type_name("i/n")
      ->group(kGroup);
}

namespace {

// What the files among the names of an option hold; what is not a file comes with this version.
std::string files_text(const std::string& option, const std::string& names,
                       const std::vector<std::string>& shipped) {
  std::vector<std::string> files;
  if (names.empty()) return "";
  for (const std::string& name : split_axis(option, names, "expected names or files")) {
    const std::string unchanged = name.substr(0, name.find('+'));  // without what --set names
    if (name != "auto" && std::find(shipped.begin(), shipped.end(), unchanged) == shipped.end())
      files.push_back(file_setting(name));
  }
  return fmt::format("{}", fmt::join(files, ", "));
}

// --gpu auto leaves them open.
std::string names_of(const std::vector<GpuSpec>& gpus) {
  std::vector<std::string> names;
  for (const GpuSpec& gpu : gpus) names.push_back(gpu.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Configuration configuration_of(const Configuration& settings, const PointArguments& arguments,
                               const PointList& points, const Shard& shard, const RunInfo& run) {
  Configuration configuration = settings;
  configuration.emplace_back("hbmscope", fmt::format("{} {}", run.version, run.git_commit));
  configuration.emplace_back("schema_version", std::to_string(kSchemaVersion));
  for (auto& [option, text] : arguments.texts()) configuration.emplace_back(option, std::move(text));
  configuration.emplace_back("GPUs", names_of(points.gpus()));
  configuration.emplace_back("files of --gpu",
                             files_text("--gpu", setting(configuration, "--gpu"), gpu_names()));
  configuration.emplace_back("files of --model",
                             files_text("--model", setting(configuration, "--model"), model_names()));
  configuration.emplace_back("points", std::to_string(points.size()));
  configuration.emplace_back("--shard", to_string(shard));
  return configuration;
}

std::string file_setting(const std::string& path) {
  Fnv1a hash;
  hash.add(read_file(path));
  return fmt::format("{} {:016x}", path, hash.value());
}

}  // namespace hbmscope
