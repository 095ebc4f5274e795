#include "cli/unknown_rates.h"

#include <gtest/gtest.h>

#include <vector>

namespace hbmscope {
namespace {

GpuSpec gpu_of(const std::string& name, bool l2, bool bf16) {
  GpuSpec gpu = load_gpu("h200");
  gpu.name = name;
  if (!l2) gpu.l2_bytes_per_s.reset();
  if (!bf16) gpu.tensor_flops_bf16.reset();
  return gpu;
}

TEST(UnknownRates, SayNothingWhereAllAreKnown) {
  EXPECT_EQ(unknown_rates(std::vector{gpu_of("a", true, true)}, std::vector{DataType::bf16, DataType::fp16}),
            "");
}

TEST(UnknownRates, NameRoofGpuAndType) {
  const std::vector<GpuSpec> gpus{gpu_of("a", true, true), gpu_of("b", false, true),
                                  gpu_of("c", false, false)};
  const std::vector<DataType> dtypes{DataType::bf16, DataType::fp16};
  EXPECT_EQ(unknown_rates(gpus, dtypes),
            "left out of the times: l2 on b, c; tensor on c (bf16): the rate is not known\n");
  EXPECT_EQ(unknown_rates(gpus, std::vector{DataType::fp16}),
            "left out of the times: l2 on b, c: the rate is not known\n");
}

}  // namespace
}  // namespace hbmscope
