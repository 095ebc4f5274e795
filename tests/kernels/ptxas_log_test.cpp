#include "kernels/ptxas_log.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hbmscope {
namespace {

TEST(PtxasLog, GivesEveryEntryItsResources) {
  const auto kernels = parse_ptxas_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "ptxas         .     256 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 256 bytes cumulative stack size, 1024 bytes smem\n"
      "ptxas info    : Function properties for helper\n"
      "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Compile time = 51.549 ms\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].entry, "first");
  EXPECT_EQ(kernels[0].registers, 40);
  EXPECT_EQ(kernels[0].stack_bytes, 256);
  EXPECT_EQ(kernels[0].spill_store_bytes, 24);
  EXPECT_EQ(kernels[0].spill_load_bytes, 28);
  EXPECT_EQ(kernels[0].static_shared_bytes, 1024);
  EXPECT_EQ(kernels[1].entry, "second");
  EXPECT_EQ(kernels[1].registers, 255);
  EXPECT_EQ(kernels[1].static_shared_bytes, 0);
}

TEST(PtxasLog, RefusesALogThatSaysNothing) {
  EXPECT_THROW(parse_ptxas_log(""), std::runtime_error);
  EXPECT_THROW(parse_ptxas_log("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"),
               std::runtime_error);
}

}  // namespace
}  // namespace hbmscope
