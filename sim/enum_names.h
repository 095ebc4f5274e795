#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace hbmscope {

// The names of an enumeration's values 0 … N-1, for printing and parsing from one list.
template <class Enum, std::size_t N>
struct EnumNames {
  std::array<std::string_view, N> names;

  constexpr std::string_view name(Enum value) const { return names[static_cast<std::size_t>(value)]; }

  constexpr std::optional<Enum> parse(std::string_view text) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == text) return static_cast<Enum>(i);
    }
    return std::nullopt;
  }
};

}  // namespace hbmscope
