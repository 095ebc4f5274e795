#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Rows of tests/data: counters of PyTorch's attention on an H200.
namespace hbmscope::test {

using Row = std::map<std::string, std::string>;  // by column

// Throws std::runtime_error for a file that is not there.
std::vector<Row> rows_of(const char* file);

double number(const Row& row, const std::string& column);
std::int64_t size(const Row& row, const std::string& column);

// Backend and shape, the same for all kernels of a call.
std::string name_of(const Row& row);

}  // namespace hbmscope::test
