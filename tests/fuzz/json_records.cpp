#include "tests/fuzz/json_records.h"

#include "reports/csv.h"
#include "reports/json.h"
#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {
namespace {

std::string json_of(const RunRecords& read) { return write_json(read.run, {}, read.records); }

}  // namespace

std::string jsonl_of(const RunRecords& read) {
  std::string text = jsonl_header(read.run, read.configuration);
  for (const Record& record : read.records) append_jsonl_row(text, record);
  return text;
}

void check_written(const RunRecords& read) {
  const std::string json = json_of(read);
  const std::string jsonl = jsonl_of(read);
  require(json_of(read_json(json, "written.json")) == json, "JSON is the same when read again");
  require(jsonl_of(read_jsonl(jsonl, "written.jsonl")) == jsonl, "JSONL is the same when read again");
  require(json_of(read_jsonl(jsonl, "written.jsonl")) == json, "JSON and JSONL hold the same");
  const std::string csv = write_csv(read.records);
  require(write_csv(read_csv(csv, "written.csv")) == csv, "CSV is the same when read again");
}

}  // namespace hbmscope::fuzz
