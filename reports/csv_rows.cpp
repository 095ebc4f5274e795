#include "reports/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kSpecial("\",\r\n\0", 5);

}  // namespace

CsvRows::CsvRows(std::string_view text, std::string_view origin) : rest_(text), origin_(origin) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool CsvRows::next(CsvRow& row) {
  if (rest_.empty()) return false;
  row.line = line_;
  std::size_t count = 0;
  for (FieldEnd end = FieldEnd::comma; end == FieldEnd::comma; ++count) {
    if (row.fields.size() == count) {
      row.fields.emplace_back();
      row.lines.emplace_back();
    }
    row.fields[count].clear();
    row.lines[count] = line_;
    end = read_field(row.fields[count]);
  }
  row.fields.resize(count);
  row.lines.resize(count);
  return true;
}

CsvRows::FieldEnd CsvRows::read_field(std::string& field) {
  if (rest_.starts_with('"')) {
    read_quoted(field);
    return read_end();
  }
  const std::size_t size = std::min(rest_.find_first_of(kSpecial), rest_.size());
  field.assign(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return read_end();
}

// From the opening quote to after the closing one; "" within stands for ".
void CsvRows::read_quoted(std::string& field) {
  const std::size_t opening_line = line_;
  rest_.remove_prefix(1);
  while (true) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      line_ = opening_line;
      fail("expected a closing quote; the file seems truncated");
    }
    const std::string_view part = rest_.substr(0, quote);
    if (part.find('\0') != std::string_view::npos) fail("NUL bytes are not accepted; expected CSV text");
    line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    field.append(part);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) return;
    field += '"';
    rest_.remove_prefix(1);
  }
}

// A last row without a line break may have lost digits, or whole values where the last ones are empty:
// nothing else would show it, so this is stricter than RFC 4180 (2.2).
CsvRows::FieldEnd CsvRows::read_end() {
  if (rest_.empty()) fail("expected a line break at the end of the last row; the file seems truncated");
  const char c = rest_.front();
  if (c == '\0') fail("NUL bytes are not accepted; expected CSV text");
  if (c == '\r' && !rest_.starts_with("\r\n")) {
    fail("a carriage return without a line feed is not accepted; expected LF or CRLF");
  }
  if (c != ',' && c != '\r' && c != '\n') {
    fail(
        "expected a comma or a line break after a value; fields with quotes are quoted, quotes in them "
        "doubled");
  }
  rest_.remove_prefix(c == '\r' ? 2 : 1);
  if (c == ',') return FieldEnd::comma;
  ++line_;
  return FieldEnd::row;
}

void CsvRows::fail(std::string_view what) const {
  throw UserError(fmt::format("{}:{}", origin_, line_), "", std::string(what));
}

}  // namespace hbmscope
