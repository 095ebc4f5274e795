#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/foreign_kernel.h"

namespace hbmscope {

// Rows × columns of C, row-major, that one CTA computes.
struct GemmTile {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// With which tiles a library multiplies in unfused attention: largest first.
struct GemmTiles {
  std::string name;       // of the variant
  std::string full_name;  // as its authors call it
  CountedOn counted_on;
  std::int64_t fewest_tiles = 1;                          // that make up the products, where a tile is taken
  std::vector<GemmTile> scores;                           // of S = QKᵀ
  std::map<std::int64_t, std::vector<GemmTile>> outputs;  // of O = PV, by head dim
};

// Those of configs/kernels/eager.toml.
const GemmTiles& eager_tiles();

// Parses a description; `origin` names it in errors. Throws UserError naming file:line and key, the value,
// and what is accepted.
GemmTiles parse_gemm_tiles(std::string_view toml_text, std::string_view origin);

}  // namespace hbmscope
