#pragma once

#include <string_view>
#include <vector>

#include "reports/configuration.h"
#include "reports/run_info.h"
#include "sim/record.h"

namespace hbmscope {

// What one run wrote.
struct RunRecords {
  RunInfo run;
  std::vector<Record> records;
  Configuration configuration;  // of a journal, see reports/journal.h
};

// Read what write_json made, or jsonl_header and append_jsonl_row, of this schema version or an older one;
// `origin` names the file in errors. The document's GPUs are not read: they follow from the records' names.
// Throw UserError naming the file, the record (its number from 1, in JSONL the line), the key, the value and
// what is accepted; for text that is not JSON the line and the byte within the file.
RunRecords read_json(std::string_view text, std::string_view origin);
RunRecords read_jsonl(std::string_view text, std::string_view origin);

}  // namespace hbmscope
