#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace hbmscope {

// The rows of a CSV file in bench/recorded/l2_probe_h200/, or calibrate_h200/, without quotes in it; columns
// by name.
inline std::vector<std::map<std::string, std::string>> recorded_probe(
    const std::string& name, const std::string& folder = "l2_probe_h200") {
  std::ifstream file("bench/recorded/" + folder + "/" + name);
  if (!file) throw std::runtime_error("no recorded " + name);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> parts;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) parts.push_back(cell);
    return parts;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> parts = cells(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = i < parts.size() ? parts[i] : "";
  }
  return rows;
}

}  // namespace hbmscope
