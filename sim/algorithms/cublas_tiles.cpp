#include "sim/algorithms/cublas_tiles.h"

#include <algorithm>
#include <array>
#include <span>

#include "sim/units.h"

namespace hbmscope {
namespace {

// Largest first.
constexpr std::array<GemmTile, 3> kScores{{{128, 256}, {128, 128}, {64, 128}}};

constexpr std::array<GemmTile, 4> kOutput64{{{512, 64}, {256, 64}, {128, 64}, {64, 64}}};
constexpr std::array<GemmTile, 3> kOutput128{{{256, 128}, {128, 128}, {128, 64}}};
constexpr std::array<GemmTile, 3> kOutput192{{{128, 192}, {128, 96}, {64, 96}}};
constexpr std::array<GemmTile, 3> kOutput256{{{256, 128}, {128, 128}, {64, 128}}};

std::span<const GemmTile> output_tiles(std::int64_t head_dim_v) {
  switch (head_dim_v) {
    case 64:
      return kOutput64;
    case 128:
      return kOutput128;
    case 192:
      return kOutput192;
    case 256:
      return kOutput256;
    default:
      return {};
  }
}

// Fewer tiles than these leave too many of the 132 SMs idle.
constexpr std::int64_t kFewestTiles = 128;

// Whether a · b · c reach that many; a factor that does alone cannot overflow the product.
bool enough_tiles(std::int64_t a, std::int64_t b, std::int64_t c) {
  return std::min(a, kFewestTiles) * std::min(b, kFewestTiles) * std::min(c, kFewestTiles) >= kFewestTiles;
}

// The first that is at most half as long as what it tiles (`halved_columns`: in both directions) and gives
// enough tiles.
std::optional<GemmTile> first_fitting(std::span<const GemmTile> tiles, std::int64_t rows,
                                      std::int64_t columns, bool halved_columns, std::int64_t matrices) {
  const auto fits = [&](const GemmTile& tile) {
    return 2 * tile.rows <= rows && (!halved_columns || 2 * tile.columns <= columns) &&
           enough_tiles(ceil_div(rows, tile.rows), ceil_div(columns, tile.columns), matrices);
  };
  const auto found = std::ranges::find_if(tiles, fits);
  return found == tiles.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::optional<GemmTile> cublas_scores_tile(std::int64_t query_rows, std::int64_t keys,
                                           std::int64_t matrices) {
  return first_fitting(kScores, query_rows, keys, true, matrices);
}

std::optional<GemmTile> cublas_output_tile(std::int64_t query_rows, std::int64_t head_dim_v,
                                           std::int64_t matrices) {
  return first_fitting(output_tiles(head_dim_v), query_rows, head_dim_v, false, matrices);
}

bool cublas_head_dim_known(std::int64_t head_dim) { return !output_tiles(head_dim).empty(); }

}  // namespace hbmscope
