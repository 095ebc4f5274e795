#include "reports/records_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reports/csv.h"
#include "reports/json_reader.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// A JSON Lines file begins with a line that is an object on its own and not the whole document.
bool begins_with_jsonl_header(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t last = line.find_last_not_of(" \t\r");
  return last != std::string_view::npos && line[last] == '}' &&
         line.find("\"records\":") == std::string_view::npos;
}

}  // namespace

RecordFormat record_format(std::string_view path, std::string_view text) {
  if (path.ends_with(".csv")) return RecordFormat::csv;
  if (path.ends_with(".json")) return RecordFormat::json;
  if (path.ends_with(".jsonl")) return RecordFormat::jsonl;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return RecordFormat::csv;
  return begins_with_jsonl_header(text.substr(first)) ? RecordFormat::jsonl : RecordFormat::json;
}

std::string read_file(const std::string& path) {
  const auto fail = [&](const std::string& reason) {
    throw UserError(path, "",
                    "cannot be read: " + reason + "; expected a CSV, JSON or JSONL file of hbmscope's");
  };
  if (path.empty()) throw UserError("input file", "", "expected a file name, got an empty one");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) fail(std::strerror(errno));
  return text;
}

std::vector<Record> read_records(const std::string& path) { return parse_records(read_file(path), path); }

std::vector<Record> parse_records(std::string_view text, const std::string& path) {
  switch (record_format(path, text)) {
    case RecordFormat::csv:
      return read_csv(text, path);
    case RecordFormat::json:
      return read_json(text, path).records;
    case RecordFormat::jsonl:
      return read_jsonl(text, path).records;
  }
  return {};
}

}  // namespace hbmscope
