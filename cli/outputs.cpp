#include "cli/outputs.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/record_explainer.h"
#include "reports/csv.h"
#include "reports/html.h"
#include "reports/json.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// Whether two paths lead to one file, whatever they are called; "-" is where standard output goes.
bool same_file(const std::string& one, const std::string& other) {
  const auto target = [](const std::string& path) {
    return write_target(path == "-" ? "/dev/stdout" : path);
  };
  return one == other || target(one) == target(other);
}

void open(std::optional<OutputFile>& output, const char* option, const std::string& path) {
  if (!path.empty()) output.emplace(option, path);
}

}  // namespace

void check_distinct(const std::vector<NamedPath>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(paths[i].path, paths[j].path)) continue;
      throw UserError(paths[i].option, paths[i].path,
                      std::string("expected another file than ") + paths[j].option + " writes");
    }
  }
}

void check_keeps(const OutputPaths& outputs, const std::vector<std::string>& inputs) {
  for (const NamedPath& output : outputs.named()) {
    for (const std::string& input : inputs) {
      if (input.empty() || !same_file(output.path, input)) continue;
      throw UserError(output.option, output.path, "expected another file than those that are read");
    }
  }
}

void check_read_once(const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (inputs[i].empty() || !same_file(inputs[i], inputs[j])) continue;
      throw UserError(inputs[i], "", "expected each file once; it is given as " + inputs[j] + " too");
    }
  }
}

std::vector<NamedPath> OutputPaths::named() const {
  std::vector<NamedPath> paths;
  for (const NamedPath& output :
       {NamedPath{"--csv", csv}, {"--json", json}, {"--jsonl", jsonl}, {"--html", html}}) {
    if (!output.path.empty()) paths.push_back(output);
  }
  return paths;
}

void OutputPaths::add_to(CLI::App& command) {
  const auto add = [&](const char* option, std::string& path, const char* help) {
    command.add_option(option, path, help)
        ->type_name("FILE")
        ->group("Output")
        ->check(
            [option](const std::string& given) {
              if (given.empty()) throw UserError(option, "", "expected a file name or - for standard output");
              return std::string();
            },
            "");
  };
  add("--csv", csv, "all columns, one row for each point; - is standard output");
  add("--json", json, "the same with bytes per tensor and launch, and each roof's time");
  add("--jsonl", jsonl, "JSON Lines: one record on each line");
  add("--html", html, "the report as one page that needs no network");
}

Outputs::Outputs(const OutputPaths& paths, const RunInfo& run) {
  check_distinct(paths.named());
  open(csv_, "--csv", paths.csv);
  open(json_, "--json", paths.json);
  open(jsonl_, "--jsonl", paths.jsonl);
  open(html_, "--html", paths.html);
  if (csv_) csv_->write(csv_header());
  if (jsonl_) jsonl_->write(jsonl_header(run));
}

void Outputs::add(const Record& record) {
  if (csv_) {
    row_.clear();
    append_csv_row(row_, record);
    csv_->write(row_);
  }
  if (jsonl_) {
    row_.clear();
    append_jsonl_row(row_, record);
    jsonl_->write(row_);
  }
  if (json_ || html_) records_.push_back(record);
}

void Outputs::commit(const RunInfo& run, std::span<const GpuSpec> gpus) {
  // The page draws one point over time.
  if (html_) RecordExplainer(gpus).add_one_timeline(records_);
  if (json_ || html_) {
    const std::string json = write_json(run, gpus, records_);
    if (json_) json_->write(json);
    if (html_) html_->write(html_report(json));
  }
  for (std::optional<OutputFile>* output : {&csv_, &json_, &jsonl_, &html_}) {
    if (*output) (*output)->commit();
  }
}

}  // namespace hbmscope
