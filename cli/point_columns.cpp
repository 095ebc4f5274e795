#include "cli/point_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hbmscope {
namespace {

std::string number(std::int64_t value) { return fmt::format("{}", value); }

// One part of a point: its column's title, its text, and when a caption need not say it.
struct Part {
  const char* title;
  Align align;
  std::string (*text)(const Point& point);
  bool (*is_usual)(const Point& point);  // null: a caption always says it
};

const std::array kParts{
    Part{"GPU", Align::left, [](const Point& p) { return p.gpu; }, nullptr},
    Part{"dtype", Align::left, [](const Point& p) { return std::string(to_string(p.problem.dtype)); },
         nullptr},
    Part{"direction", Align::left, [](const Point& p) { return std::string(to_string(p.problem.direction)); },
         [](const Point& p) { return p.problem.direction == Direction::forward; }},
    Part{"batch", Align::right, [](const Point& p) { return number(p.problem.batch); }, nullptr},
    Part{"heads", Align::right, [](const Point& p) { return number(p.problem.heads); }, nullptr},
    Part{"kv heads", Align::right, [](const Point& p) { return number(p.problem.kv_heads); },
         [](const Point& p) { return p.problem.kv_heads == p.problem.heads; }},
    Part{"head dim", Align::right, [](const Point& p) { return number(p.problem.head_dim); }, nullptr},
    Part{"head dim v", Align::right, [](const Point& p) { return number(p.problem.head_dim_v); },
         [](const Point& p) { return p.problem.head_dim_v == p.problem.head_dim; }},
    Part{"seqlen", Align::right, [](const Point& p) { return number(p.problem.seqlen_q); }, nullptr},
    Part{"seqlen kv", Align::right, [](const Point& p) { return number(p.problem.seqlen_kv); },
         [](const Point& p) { return p.problem.seqlen_kv == p.problem.seqlen_q; }},
    Part{"mask", Align::left,
         [](const Point& p) {
           if (p.problem.mask == Mask::window) return fmt::format("window:{}", p.problem.window);
           return std::string(to_string(p.problem.mask));
         },
         nullptr},
    Part{"algorithm", Align::left, [](const Point& p) { return p.algorithm; }, nullptr},
    Part{"variant", Align::left, [](const Point& p) { return p.variant; }, nullptr},
    Part{"Br", Align::right, [](const Point& p) { return number(p.tile.br); }, nullptr},
    Part{"Bc", Align::right, [](const Point& p) { return number(p.tile.bc); }, nullptr},
    Part{"stages", Align::right, [](const Point& p) { return number(p.tile.stages); },
         [](const Point& p) { return p.tile.stages == Tile{}.stages; }},
    Part{"splits", Align::right, [](const Point& p) { return number(p.tile.splits); },
         [](const Point& p) { return p.tile.splits == Tile{}.splits; }},
    Part{"order", Align::left, [](const Point& p) { return std::string(to_string(p.order)); },
         [](const Point& p) { return p.order == Point{}.order; }},
    Part{"walk", Align::left, [](const Point& p) { return fmt::format("K/V {}", to_string(p.kv_walk)); },
         [](const Point& p) { return p.kv_walk == Point{}.kv_walk; }},
    Part{"L2 state", Align::left, [](const Point& p) { return std::string(to_string(p.cache_state)); },
         [](const Point& p) { return p.cache_state == Point{}.cache_state; }},
    Part{"L2 model", Align::left, [](const Point& p) { return std::string(to_string(p.l2_mode)); },
         [](const Point& p) { return p.l2_mode == Point{}.l2_mode; }},
    Part{"placement", Align::right, [](const Point& p) { return number(p.placement); },
         [](const Point& p) { return p.placement == Point{}.placement; }},
    Part{"seed", Align::right, [](const Point& p) { return number(p.seed); },
         [](const Point& p) { return p.seed == Point{}.seed; }},
};

std::string shared_text(const Part& part, const Point& point) {
  const bool word = part.align == Align::left;
  return word ? part.text(point) : fmt::format("{} {}", part.title, part.text(point));
}

// The usual relation (kv heads = heads) may hold although the values vary; a column would only repeat another
// one.
bool usual_everywhere(const Part& part, std::span<const Record> records) {
  return part.is_usual != nullptr &&
         std::all_of(records.begin(), records.end(), [&](const Record& r) { return part.is_usual(r.point); });
}

}  // namespace

PointColumns::PointColumns(std::span<const Record> records) {
  if (records.empty()) return;
  const Point& first = records.front().point;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const Part& part = kParts[i];
    if (usual_everywhere(part, records)) continue;
    const std::string text = part.text(first);
    const bool same = std::all_of(records.begin(), records.end(),
                                  [&](const Record& record) { return part.text(record.point) == text; });
    if (!same) {
      varying_.push_back(i);
    } else {
      if (!caption_.empty()) caption_ += ", ";
      caption_ += shared_text(part, first);
    }
  }
}

std::vector<Column> PointColumns::columns() const {
  std::vector<Column> columns;
  for (const std::size_t i : varying_) columns.push_back({"", kParts[i].title, kParts[i].align});
  return columns;
}

std::vector<Cell> PointColumns::cells(const Record& record) const {
  std::vector<Cell> cells;
  for (const std::size_t i : varying_) cells.push_back({kParts[i].text(record.point)});
  return cells;
}

std::string PointColumns::text(const Record& record) const {
  std::string text;
  for (const std::size_t i : varying_) {
    if (!text.empty()) text += ", ";
    text += shared_text(kParts[i], record.point);
  }
  return text;
}

std::string describe_point(const Point& point) {
  std::string text;
  for (const Part& part : kParts) {
    if (part.is_usual != nullptr && part.is_usual(point)) continue;
    if (!text.empty()) text += ", ";
    text += shared_text(part, point);
  }
  return text;
}

}  // namespace hbmscope
