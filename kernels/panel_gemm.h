#pragma once

#include <cstdint>

namespace hbmscope {

inline constexpr std::int64_t kPanelColumns = 8;  // doubles: two AVX2 registers, one cache line
inline constexpr std::int64_t kPanelRows = 4;     // rows of A worked on together

// C += A · B in double precision. A is rows × depth with rows `a_stride` apart; B is one panel of
// kPanelColumns columns, depth × kPanelColumns, contiguous; C is rows × kPanelColumns with rows `c_stride`
// apart. `rows` is a multiple of kPanelRows.
void multiply_panel(std::int64_t rows, std::int64_t depth, const double* a, std::int64_t a_stride,
                    const double* b, double* c, std::int64_t c_stride);

}  // namespace hbmscope
