#include "cli/recorded_rows.h"

#include <string>
#include <utility>

#include "reports/csv.h"

namespace hbmscope {

std::vector<Record> recorded_rows() {
  std::vector<Record> rows;
  for (const EmbeddedFile& file : recorded_files()) {
    for (Record& row : read_csv(file.text, file.name)) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hbmscope
