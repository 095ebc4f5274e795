// Records of a JSONL file are the same when written and read again.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_records.h"

namespace hbmscope::fuzz {

bool check_input(std::string_view input) {
  const auto read = accepted([&] { return read_jsonl(input, "f.jsonl"); });
  if (read) check_written(*read);
  return read.has_value();
}

}  // namespace hbmscope::fuzz
