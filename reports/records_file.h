#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record.h"

namespace hbmscope {

enum class RecordFormat : std::uint8_t { csv, json, jsonl };

// By the name's extension (.csv, .json, .jsonl); another name's format is that of the text.
RecordFormat record_format(std::string_view path, std::string_view text);

// A whole file. Throws UserError naming the path if it cannot be read.
std::string read_file(const std::string& path);

// The records of a file that hbmscope wrote. Throws UserError, see the readers.
std::vector<Record> read_records(const std::string& path);
std::vector<Record> parse_records(std::string_view text, const std::string& path);

}  // namespace hbmscope
