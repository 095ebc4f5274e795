#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

// The units in which numbers of a GPU are set on the command line.
namespace hbmscope {

struct Unit {
  std::string_view name;
  double factor;
};

// What is counted in the same units, and which values are taken.
struct UnitKind {
  std::string_view name;
  std::span<const Unit> units;
  double smallest;
  double largest;
  std::string_view accepted;
};

std::span<const UnitKind> unit_kinds();

// "100MiB" as bytes; absent for what is no such number, or out of range.
std::optional<double> parse_value(std::string_view text, const UnitKind& kind);

// The shortest text of a value.
std::string value_text(double value, const UnitKind& kind);

}  // namespace hbmscope
