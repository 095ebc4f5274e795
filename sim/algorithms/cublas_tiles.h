#pragma once

#include <cstdint>
#include <optional>

// The tiles of cuBLAS's bf16 and fp16 matrix products on compute capability 9.0, as the heuristic of cuBLAS
// 13.1 chose them on an H200. Tiles are written row-major, rows × columns of C; cuBLAS, column-major, names
// them the other way round ("256x128" is 128 × 256 here).
namespace hbmscope {

struct GemmTile {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// Of S = QKᵀ: `matrices` products of query_rows × keys. Empty where the choice follows no rule that we know.
std::optional<GemmTile> cublas_scores_tile(std::int64_t query_rows, std::int64_t keys, std::int64_t matrices);

// Of O = PV: `matrices` products of query_rows × head_dim_v. Empty for a head dim that is not in the table,
// too.
std::optional<GemmTile> cublas_output_tile(std::int64_t query_rows, std::int64_t head_dim_v,
                                           std::int64_t matrices);

// Head dims in the table. At those that are no multiple of 64 a step over the depth sticks out of the matrix,
// and the bytes follow no rule that we know.
bool cublas_head_dim_known(std::int64_t head_dim);

// A step over the depth of a product.
inline constexpr std::int64_t kCublasDepthStep = 64;

}  // namespace hbmscope
