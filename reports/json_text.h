#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/record_builder.h"

namespace hbmscope {

// Helpers of the JSON readers, which alone include this header: nlohmann-json stays out of the public ones.
using Json = nlohmann::json;

// Parses a whole text. Throws UserError naming line and byte for a syntax error, a text that ends too early
// or a NUL byte, and for a key that stands twice in an object, a NUL character in a string, and more nesting
// than any file of ours has. `bytes_before` is how many of the file's bytes stand before the text; without a
// line in `place`, the line is counted in the text.
Json parse_json(std::string_view text, const RecordPlace& place, std::size_t bytes_before = 0);

// Throw UserError if `json` is not an object (an array), or has a key that is not one of `keys`.
void expect_object(const RecordPlace& place, std::string_view name, const Json& json);
void expect_array(const RecordPlace& place, std::string_view name, const Json& json);
void expect_keys(const RecordPlace& place, std::string_view name, const Json& json,
                 std::initializer_list<std::string_view> keys);

// A member that must be there. Throws UserError if it is not.
const Json& member(const RecordPlace& place, std::string_view name, const Json& json, const char* key);

// A value as a field of this type. Throws UserError if it is of another.
FieldValue field_value(const RecordPlace& place, std::string_view name, FieldType type, const Json& json);

// "point" and "heads" make "point.heads".
std::string joined(std::string_view name, std::string_view key);

}  // namespace hbmscope
