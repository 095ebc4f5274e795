#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/record_fields.h"

namespace hbmscope {

// What is written of a field: its value, or monostate for a real that is not finite.
FieldValue written_value(const Field& field, const Record& record);

// A value as CSV holds it before quoting; absent is empty.
void append_value(std::string& text, const FieldValue& value);

// The whole text as a value of this type. Empty is monostate; nothing if it is not of the type.
std::optional<FieldValue> parse_value(FieldType type, std::string_view text);

}  // namespace hbmscope
