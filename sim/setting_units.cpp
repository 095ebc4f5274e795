#include "sim/setting_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace hbmscope {
namespace {

constexpr std::array kSizes{Unit{"B", 1},
                            Unit{"kB", 1e3},
                            Unit{"MB", 1e6},
                            Unit{"GB", 1e9},
                            Unit{"TB", 1e12},
                            Unit{"KiB", 1024.0},
                            Unit{"MiB", 1024.0 * 1024},
                            Unit{"GiB", 1024.0 * 1024 * 1024},
                            Unit{"TiB", 1024.0 * 1024 * 1024 * 1024}};
constexpr std::array kRates{Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9},
                            Unit{"TB/s", 1e12}};
constexpr std::array kFrequencies{Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};
constexpr std::array kNumbers{Unit{"", 1}};

constexpr std::array kKinds{
    UnitKind{"bytes", kSizes, 1024, 1e15,
             "whole bytes from 1KiB to 1000TB, in B, kB, MB, GB, TB, KiB, MiB, GiB or TiB: such as 100MiB"},
    UnitKind{"bytes/s", kRates, 1e6, 1e18,
             "a rate from 1MB/s to 1000000TB/s, in B/s, kB/s, MB/s, GB/s or TB/s: such as 8TB/s"},
    UnitKind{"Hz", kFrequencies, 1e6, 1e12,
             "a clock from 1MHz to 1000GHz, in Hz, kHz, MHz or GHz: such as 2GHz"},
    UnitKind{"number", kNumbers, 1, 65536, "a whole number from 1 to 65536"},
};

// Digits with an optional point, then a unit. Absent for anything else.
std::optional<double> read_value(std::string_view text, const UnitKind& kind) {
  const bool starts_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!starts_with_digit) return std::nullopt;  // no sign, no "inf"
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const auto unit = std::find_if(kind.units.begin(), kind.units.end(),
                                 [&](const Unit& known) { return known.name == text; });
  if (unit == kind.units.end()) return std::nullopt;
  const double value = number * unit->factor;
  const double whole = std::round(value);  // 0.017 is not exact in binary, 0.017 TB are whole bytes
  const double exact = 2 * std::numeric_limits<double>::epsilon() * value;
  return std::abs(value - whole) <= exact ? whole : value;
}

// Without an exponent, as read_value() takes it.
std::string digits(double number) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return error == std::errc{} ? std::string(text.data(), end) : fmt::format("{}", number);
}

}  // namespace

std::span<const UnitKind> unit_kinds() { return kKinds; }

std::optional<double> parse_value(std::string_view text, const UnitKind& kind) {
  const std::optional<double> value = read_value(text, kind);
  if (!value || *value < kind.smallest || *value > kind.largest) return std::nullopt;
  const bool counts = kind.name == "bytes" || kind.name == "number";
  if (counts && *value != std::floor(*value)) return std::nullopt;
  return value;
}

std::string value_text(double value, const UnitKind& kind) {
  std::string shortest = fmt::format("{}{}", digits(value), kind.units.front().name);
  for (const Unit& unit : kind.units) {
    std::string text = fmt::format("{}{}", digits(value / unit.factor), unit.name);
    if (text.size() < shortest.size() && read_value(text, kind) == value) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace hbmscope
