#include "cli/recorded_rows.h"

#include <algorithm>
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

std::vector<std::string_view> recorded_plan() {
  std::vector<std::string_view> lines;
  for (const EmbeddedFile& file : recorded_plan_files()) {
    for (std::string_view rest = file.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (end > 0 && rest.front() != '#') lines.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return lines;
}

}  // namespace hbmscope
