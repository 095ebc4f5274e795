#include "kernels/panel_gemm.h"

#include <cstring>

namespace hbmscope {

namespace {

// Written out because the compiler does not find this shape by itself. Where the processor has narrower
// registers an operation on it becomes several.
using Vector = double __attribute__((vector_size(32)));
constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(double);
static_assert(kPanelColumns == 2 * kLanes);

}  // namespace

// The build is for any x86-64; the loader takes the AVX2 version where the processor has it.
#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
void multiply_panel(std::int64_t rows, std::int64_t depth, const double* a, std::int64_t a_stride,
                    const double* b, double* c, std::int64_t c_stride) {
  for (std::int64_t row = 0; row < rows; row += kPanelRows) {
    Vector sums[kPanelRows][2] = {};  // stays in registers
    const double* const a_rows = a + row * a_stride;
    for (std::int64_t k = 0; k < depth; ++k) {
      Vector left;
      Vector right;
      std::memcpy(&left, b + k * kPanelColumns, sizeof(Vector));
      std::memcpy(&right, b + k * kPanelColumns + kLanes, sizeof(Vector));
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kPanelRows; ++r) {
        const double factor = a_rows[r * a_stride + k];
        sums[r][0] += factor * left;
        sums[r][1] += factor * right;
      }
    }
#pragma GCC unroll 4
    for (std::int64_t r = 0; r < kPanelRows; ++r) {
      double* const c_row = c + (row + r) * c_stride;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        c_row[lane] += sums[r][0][lane];
        c_row[kLanes + lane] += sums[r][1][lane];
      }
    }
  }
}

}  // namespace hbmscope
