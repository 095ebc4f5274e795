#include "cli/text_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace hbmscope {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

// Characters, not bytes: every byte of UTF-8 but the continuations (10xxxxxx) begins one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

void append_cell(std::string& line, const std::string& text, std::size_t width, Align align, Tone tone,
                 bool color) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  if (!line.empty()) line.append(kGap, ' ');
  if (align == Align::right) line += blanks;
  line += toned(text, tone, color);
  if (align == Align::left) line += blanks;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string toned(const std::string& text, Tone tone, bool color) {
  if (!color || tone == Tone::plain || text.empty()) return text;
  const char* code = tone == Tone::dim ? "2" : tone == Tone::good ? "32" : tone == Tone::bad ? "31" : "1";
  return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<Cell> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table's row has another number of cells");
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = width_of(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[c].text));
    widths.push_back(width);
  }
  // A group's heading needs as much room as its columns have together.
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {
    std::size_t span = 0;
    for (end = begin; end < columns_.size() && columns_[end].group == columns_[begin].group; ++end) {
      span += widths[end] + (end == begin ? 0 : kGap);
    }
    const std::size_t heading = width_of(columns_[begin].group);
    if (heading > span) widths[begin] += heading - span;
  }
  return widths;
}

std::string TextTable::group_line(const std::vector<std::size_t>& widths, bool color) const {
  std::string line;
  for (std::size_t begin = 0, end = 0; begin < columns_.size(); begin = end) {
    std::size_t span = 0;
    for (end = begin; end < columns_.size() && columns_[end].group == columns_[begin].group; ++end) {
      span += widths[end] + (end == begin ? 0 : kGap);
    }
    if (begin > 0) line.append(kGap, ' ');
    const std::string& heading = columns_[begin].group;
    const std::string blanks(span - width_of(heading), ' ');
    const bool left = columns_[begin].align == Align::left;
    line += left ? heading + blanks : blanks + toned(heading, Tone::strong, color);
  }
  return line;
}

std::string TextTable::text(bool color) const {
  const std::vector<std::size_t> width = widths();
  std::string text;
  const std::string groups = group_line(width, color);
  if (groups.find_first_not_of(' ') != std::string::npos) text += without_trailing_blanks(groups);
  std::string line;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    append_cell(line, columns_[c].title, width[c], columns_[c].align, Tone::strong, color);
  }
  text += without_trailing_blanks(line);
  for (const auto& row : rows_) {
    line.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      append_cell(line, row[c].text, width[c], columns_[c].align, row[c].tone, color);
    }
    text += without_trailing_blanks(line);
  }
  return text;
}

}  // namespace hbmscope
