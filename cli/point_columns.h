#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/text_table.h"
#include "sim/record.h"

namespace hbmscope {

// What tells the points of a table apart: a column for each part that varies among them, and a caption line
// for what they share.
class PointColumns {
 public:
  explicit PointColumns(std::span<const Record> records);

  const std::string& caption() const { return caption_; }
  std::vector<Column> columns() const;
  std::vector<Cell> cells(const Record& record) const;
  // The same in a sentence: "seqlen 512, causal, Br 64"; empty if nothing varies.
  std::string text(const Record& record) const;

 private:
  std::vector<std::size_t> varying_;  // indices into the list of parts
  std::string caption_;
};

// "flash2 mma, br 64, bc 128, seqlen 4096, causal": a point in a sentence.
std::string describe_point(const Point& point);

}  // namespace hbmscope
