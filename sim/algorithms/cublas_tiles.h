#pragma once

#include <cstdint>
#include <optional>

#include "sim/gemm_tiles.h"

// Which tiles of configs/kernels/eager.toml cuBLAS takes for its bf16 and fp16 matrix products on compute
// capability 9.0.
namespace hbmscope {

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
