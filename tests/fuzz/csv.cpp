// Records of a CSV file are the same when written and read again.
#include "reports/csv.h"

#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {

bool check_input(std::string_view input) {
  const auto records = accepted([&] { return read_csv(input, "f.csv"); });
  if (!records) return false;
  const std::string written = write_csv(*records);
  const std::vector<Record> again = read_csv(written, "written.csv");
  require(again.size() == records->size(), "all records are written");
  require(write_csv(again) == written, "records are the same when read again");
  return true;
}

}  // namespace hbmscope::fuzz
