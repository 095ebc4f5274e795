#include "sim/roofline.h"

#include <gtest/gtest.h>

namespace hbmscope {

TEST(Roofline, TheBusiestPartBounds) {
  const Roofs roofs{100.0, 1000.0, 10000.0, 1e6, 1e4};
  EXPECT_EQ(bound_of({200, 0, 0, 0, 0}, roofs).roof, Roof::hbm);
  EXPECT_DOUBLE_EQ(bound_of({200, 0, 0, 0, 0}, roofs).time_s, 2.0);
  EXPECT_EQ(bound_of({100, 2000, 0, 0, 0}, roofs).roof, Roof::l2);
  EXPECT_EQ(bound_of({100, 1000, 30000, 0, 0}, roofs).roof, Roof::sram);
  EXPECT_EQ(bound_of({100, 1000, 10000, 4'000'000, 0}, roofs).roof, Roof::tensor);
  EXPECT_EQ(bound_of({100, 1000, 10000, 1'000'000, 50'000}, roofs).roof, Roof::exp);
  EXPECT_DOUBLE_EQ(bound_of({100, 1000, 10000, 1'000'000, 50'000}, roofs).time_s, 5.0);
}

TEST(Roofline, UnknownRoofsBoundNothing) {
  const Roofs roofs{100.0, std::nullopt, 10000.0, std::nullopt, 1e4};
  EXPECT_EQ(bound_of({100, ~std::uint64_t{0}, 0, ~std::uint64_t{0}, 0}, roofs).roof, Roof::hbm);
}

TEST(Roofline, RoofsComeFromTheGpu) {
  const GpuSpec gpu = load_gpu("h200");
  const Roofs roofs = roofs_of(gpu, DataType::bf16);
  const auto roof = [&](Roof which) { return roofs[static_cast<std::size_t>(which)].value(); };
  EXPECT_DOUBLE_EQ(roof(Roof::hbm), 4.8e12);
  // 128 B, 16 exponentials and 4096 FLOP for each of 132 SMs and clock at 1980 MHz.
  EXPECT_DOUBLE_EQ(roof(Roof::sram), 128 * 132 * 1.98e9);
  EXPECT_DOUBLE_EQ(roof(Roof::exp), 16 * 132 * 1.98e9);
  EXPECT_DOUBLE_EQ(roof(Roof::tensor), 4096 * 132 * 1.98e9);
  EXPECT_FALSE(
      roofs_of(load_gpu("a100-80"), DataType::fp8)[static_cast<std::size_t>(Roof::tensor)].has_value());
  EXPECT_FALSE(roofs_of(load_gpu("l4"), DataType::bf16)[static_cast<std::size_t>(Roof::l2)].has_value());
}

}  // namespace hbmscope
