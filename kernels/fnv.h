#pragma once

#include <cstdint>
#include <string_view>

namespace hbmscope {

// 64-bit FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv). A byte ends every text, so that ("ab", "c") and
// ("a", "bc") differ.
class Fnv1a {
 public:
  void add(std::string_view text) {
    for (const char character : text) add_byte(static_cast<unsigned char>(character));
    add_byte(0);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3U;
  }

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace hbmscope
