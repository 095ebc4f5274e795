#include <gtest/gtest.h>

#include "profiler/nvtx.h"

namespace hbmscope {
namespace {

TEST(NvtxName, KeepsOrdinaryNames) { EXPECT_EQ(nvtx_name("flash2-mma_n4096.d128"), "flash2-mma_n4096.d128"); }

TEST(NvtxName, ReplacesFilterSyntaxBlanksAndControls) {
  EXPECT_EQ(nvtx_name("a@b,c[d]e/f*g+h\\i$j k\nl\x80"), "a_b_c_d_e_f_g_h_i_j_k_l_");
}

TEST(NvtxRange, NestsWithoutATool) {
  const NvtxRange outer("outer");
  const NvtxRange inner("inner");
}

}  // namespace
}  // namespace hbmscope
