#pragma once

#include <cstdint>

namespace hbmscope {

// In which order a loop runs; alternating flips with the parity of another loop.
enum class Walk : std::uint8_t { up, down, alternating };

// Which of a grid's indices CTAs with consecutive numbers differ in.
enum class Order : std::uint8_t { q_fastest, head_fastest };

// Rows of Q (br) and rows of K/V (bc) that one step works on. Any positive tile can be predicted; whether a
// kernel can run it is a matter of feasibility.
struct Tile {
  std::int64_t br = 128;
  std::int64_t bc = 64;
  std::int64_t stages = 1;  // K/V buffers in flight
  std::int64_t splits = 1;  // CTAs that share one row of K/V tiles (split-KV)
};

}  // namespace hbmscope
