#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/units.h"

namespace hbmscope {

inline constexpr std::int64_t kPanelColumns = 8;  // doubles: two AVX2 registers, one cache line
inline constexpr std::int64_t kPanelRows = 4;     // rows of A worked on together

// C += A · B in double precision. A is rows × depth with rows `a_stride` apart; B is one panel of
// kPanelColumns columns, depth × kPanelColumns, contiguous; C is rows × kPanelColumns with rows `c_stride`
// apart. `rows` is a multiple of kPanelRows.
void multiply_panel(std::int64_t rows, std::int64_t depth, const double* a, std::int64_t a_stride,
                    const double* b, double* c, std::int64_t c_stride);

// A (depth × columns) matrix as panels of kPanelColumns columns, each contiguous; missing columns are 0.
// `element` gives (depth index, column).
template <typename Element>
std::vector<double> pack_panels(std::int64_t depth, std::int64_t columns, Element element) {
  const std::int64_t padded = round_up(columns, kPanelColumns);
  std::vector<double> packed(static_cast<std::size_t>(depth * padded));
  for (std::int64_t column = 0; column < columns; ++column) {
    double* const panel =
        packed.data() + column / kPanelColumns * depth * kPanelColumns + column % kPanelColumns;
    for (std::int64_t k = 0; k < depth; ++k) panel[k * kPanelColumns] = element(k, column);
  }
  return packed;
}

}  // namespace hbmscope
