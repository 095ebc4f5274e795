#pragma once

#include <string>
#include <vector>

namespace hbmscope {

enum class Align : std::uint8_t { left, right };
enum class Tone : std::uint8_t { plain, dim, good, bad, strong };

struct Column {
  std::string group;  // neighbours of one group share a heading; may be empty
  std::string title;
  Align align = Align::right;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

// Text wrapped in the ANSI sequence of its tone, if colour is wanted.
std::string toned(const std::string& text, Tone tone, bool color);

// Aligned columns for a terminal.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);
  // One cell for each column.
  void add_row(std::vector<Cell> cells);
  std::string text(bool color) const;

 private:
  std::vector<std::size_t> widths() const;
  std::string group_line(const std::vector<std::size_t>& widths, bool color) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace hbmscope
