#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/cli11_forward.h"
#include "reports/output_file.h"
#include "reports/run_info.h"
#include "sim/gpu.h"
#include "sim/record.h"

namespace hbmscope {

// A file to write, with the option that names it.
struct NamedPath {
  const char* option = nullptr;
  std::string path;
};
// Throws UserError for a file that two of them name.
void check_distinct(const std::vector<NamedPath>& paths);

// --csv, --json, --jsonl and --html: files, or "-" for standard output.
struct OutputPaths {
  std::string csv;
  std::string json;
  std::string jsonl;
  std::string html;

  // Registers the options; the paths must outlive the command.
  void add_to(CLI::App& command);
  std::vector<NamedPath> named() const;  // those that are wanted
  bool any() const { return !(csv.empty() && json.empty() && jsonl.empty() && html.empty()); }
  bool use_stdout() const { return csv == "-" || json == "-" || jsonl == "-" || html == "-"; }
  // JSON and the page hold rows of launches and of their tensors' bytes.
  bool want_rows() const { return !(json.empty() && jsonl.empty() && html.empty()); }
};

// Throws UserError for an output that would replace a file which the command reads.
void check_keeps(const OutputPaths& outputs, const std::vector<std::string>& inputs);
// Throws UserError naming a file that is read twice, whatever it is called: its rows would count twice.
void check_read_once(const std::vector<std::string>& inputs);

// The outputs of one run. CSV and JSONL take each record at once; JSON and HTML hold all and are written at
// the end. No file appears before commit().
class Outputs {
 public:
  // Opens all files. Throws UserError naming the option for a path that cannot be written or is given twice.
  Outputs(const OutputPaths& paths, const RunInfo& run);

  void add(const Record& record);
  void add(const std::vector<Record>& records) {
    for (const Record& record : records) add(record);
  }
  // `gpus` are the descriptions that the records name; `run` may know more than at the start.
  void commit(const RunInfo& run, std::span<const GpuSpec> gpus);

 private:
  std::optional<OutputFile> csv_;
  std::optional<OutputFile> json_;
  std::optional<OutputFile> jsonl_;
  std::optional<OutputFile> html_;
  std::vector<Record> records_;  // for JSON and HTML
  std::string row_;
};

}  // namespace hbmscope
