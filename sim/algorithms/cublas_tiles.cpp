#include "sim/algorithms/cublas_tiles.h"

#include <algorithm>
#include <span>

#include "sim/units.h"

namespace hbmscope {
namespace {

std::span<const GemmTile> output_tiles(std::int64_t head_dim_v) {
  const auto& outputs = eager_tiles().outputs;
  const auto found = outputs.find(head_dim_v);
  return found == outputs.end() ? std::span<const GemmTile>() : std::span<const GemmTile>(found->second);
}

// Whether a · b · c reach the fewest tiles that are taken; a factor that does alone cannot overflow the
// product.
bool enough_tiles(std::int64_t a, std::int64_t b, std::int64_t c) {
  const std::int64_t fewest = eager_tiles().fewest_tiles;
  return std::min(a, fewest) * std::min(b, fewest) * std::min(c, fewest) >= fewest;
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
  return first_fitting(eager_tiles().scores, query_rows, keys, true, matrices);
}

std::optional<GemmTile> cublas_output_tile(std::int64_t query_rows, std::int64_t head_dim_v,
                                           std::int64_t matrices) {
  return first_fitting(output_tiles(head_dim_v), query_rows, head_dim_v, false, matrices);
}

bool cublas_head_dim_known(std::int64_t head_dim) { return !output_tiles(head_dim).empty(); }

}  // namespace hbmscope
