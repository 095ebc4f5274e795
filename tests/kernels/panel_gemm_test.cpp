#include "kernels/panel_gemm.h"

#include <gtest/gtest.h>

#include <vector>

namespace hbmscope {
namespace {

TEST(PanelGemm, AddsTheProductToC) {
  constexpr std::int64_t kRows = 12;
  constexpr std::int64_t kDepth = 19;
  constexpr std::int64_t kAStride = 23;
  constexpr std::int64_t kCStride = 11;
  std::vector<double> a(kRows * kAStride);
  std::vector<double> b(kDepth * kPanelColumns);
  std::vector<double> c(kRows * kCStride, 0.5);
  // Small integers: every sum is exact, in any order and with or without fused multiply-add.
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * 7 % 13) - 6;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i * 5 % 11) - 5;
  multiply_panel(kRows, kDepth, a.data(), kAStride, b.data(), c.data(), kCStride);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kCStride; ++column) {
      double expected = 0.5;
      for (std::int64_t k = 0; k < kDepth && column < kPanelColumns; ++k) {
        expected += a[static_cast<std::size_t>(row * kAStride + k)] *
                    b[static_cast<std::size_t>(k * kPanelColumns + column)];
      }
      ASSERT_EQ(c[static_cast<std::size_t>(row * kCStride + column)], expected) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace hbmscope
