#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// One row of a CSV file; the vectors run in parallel.
struct CsvRow {
  std::size_t line = 0;             // where the row begins, from 1
  std::vector<std::string> fields;  // unquoted
  std::vector<std::size_t> lines;   // where each field begins: a quoted field may hold line breaks
};

// Splits RFC 4180 text into rows, one at a time. Rows end in LF or CRLF; a byte-order mark is skipped.
class CsvRows {
 public:
  // `origin` names the file in errors. Both must outlive this object.
  CsvRows(std::string_view text, std::string_view origin);

  // False at the end. Throws UserError naming file and line for a NUL byte, a lone carriage return, a quote
  // within an unquoted field, text after a closing quote, a quote that nothing closes, and a last row
  // without a line break.
  bool next(CsvRow& row);

 private:
  enum class FieldEnd { comma, row };

  FieldEnd read_field(std::string& field);
  void read_quoted(std::string& field);
  FieldEnd read_end();
  [[noreturn]] void fail(std::string_view what) const;

  std::string_view rest_;
  std::string_view origin_;
  std::size_t line_ = 1;
};

}  // namespace hbmscope
