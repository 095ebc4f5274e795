#include "tests/sim/h200_rows.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hbmscope::test {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

}  // namespace

std::vector<Row> rows_of(const char* file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) throw std::runtime_error(fmt::format("{} cannot be read", file));
  const std::vector<std::string> columns = split(line);
  std::vector<Row> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> values = split(line);
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values.at(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

double number(const Row& row, const std::string& column) { return std::stod(row.at(column)); }

std::int64_t size(const Row& row, const std::string& column) { return std::stoll(row.at(column)); }

std::string name_of(const Row& row) {
  return fmt::format("{} batch {} heads {}/{} N {} d {} causal {}", row.at("backend"), row.at("batch"),
                     row.at("heads"), row.at("kv_heads"), row.at("seqlen_q"), row.at("head_dim"),
                     row.at("causal"));
}

}  // namespace hbmscope::test
