#include "sim/box_union.h"

#include <algorithm>

#include "sim/units.h"

namespace hbmscope {
namespace {

std::uint64_t as_count(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// Distinct rows of the boxes that cover one cell of planes × columns. `boxes` are sorted by row.
std::uint64_t union_of_rows(const std::vector<Box>& boxes, std::int64_t plane, std::int64_t column) {
  std::uint64_t rows = 0;
  std::int64_t covered_to = std::numeric_limits<std::int64_t>::min();
  for (const Box& box : boxes) {
    if (plane < box.planes.begin || plane >= box.planes.end) continue;
    if (column < box.columns.begin || column >= box.columns.end) continue;
    const std::int64_t from = std::max(box.rows.begin, covered_to);
    if (box.rows.end > from) rows = checked_add(rows, as_count(box.rows.end - from));
    covered_to = std::max(covered_to, box.rows.end);
  }
  return rows;
}

std::vector<std::int64_t> edges(const std::vector<Box>& boxes, Interval Box::*side) {
  std::vector<std::int64_t> values;
  for (const Box& box : boxes) {
    values.push_back((box.*side).begin);
    values.push_back((box.*side).end);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool share_planes_and_columns(const std::vector<Box>& boxes) {
  return std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    return box.planes == boxes.front().planes && box.columns == boxes.front().columns;
  });
}

std::uint64_t cell_volume(std::uint64_t rows, std::int64_t planes, std::int64_t columns) {
  return checked_multiply(checked_multiply(rows, as_count(planes)), as_count(columns), "element count");
}

}  // namespace

void add_box(std::vector<Box>& boxes, const Box& box) {
  if (!boxes.empty()) {
    Box& last = boxes.back();
    const bool meets = box.rows.begin <= last.rows.end && last.rows.begin <= box.rows.end;
    if (last.planes == box.planes && last.columns == box.columns && meets) {
      last.rows = {std::min(last.rows.begin, box.rows.begin), std::max(last.rows.end, box.rows.end)};
      return;
    }
  }
  boxes.push_back(box);
}

std::uint64_t union_volume(std::vector<Box>& boxes) {
  if (boxes.empty()) return 0;
  if (boxes.size() > 1) {
    std::sort(boxes.begin(), boxes.end(),
              [](const Box& a, const Box& b) { return a.rows.begin < b.rows.begin; });
  }
  const Box& first = boxes.front();
  if (share_planes_and_columns(boxes)) {
    const std::uint64_t rows = union_of_rows(boxes, first.planes.begin, first.columns.begin);
    return cell_volume(rows, first.planes.length(), first.columns.length());
  }
  const std::vector<std::int64_t> planes = edges(boxes, &Box::planes);
  const std::vector<std::int64_t> columns = edges(boxes, &Box::columns);
  std::uint64_t volume = 0;
  for (std::size_t p = 0; p + 1 < planes.size(); ++p) {
    for (std::size_t c = 0; c + 1 < columns.size(); ++c) {
      const std::uint64_t rows = union_of_rows(boxes, planes[p], columns[c]);
      volume = checked_add(volume, cell_volume(rows, planes[p + 1] - planes[p], columns[c + 1] - columns[c]));
    }
  }
  return volume;
}

}  // namespace hbmscope
