#include "cli/assumed_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace hbmscope {
namespace {

GpuSpec named(const std::string& name) {
  GpuSpec gpu = load_gpu("h200");
  gpu.name = name;
  return gpu;
}

GpuSpec without_ways(const std::string& name) {
  GpuSpec gpu = named(name);
  for (CacheLevel& level : gpu.caches) level.ways.reset();
  return gpu;
}

}  // namespace

TEST(AssumedText, SaysNothingOfAMeasuredGpu) { EXPECT_EQ(assumed_text(std::vector{load_gpu("h200")}), ""); }

TEST(AssumedText, NamesWhatIsMissingOnceForGpusThatLackTheSame) {
  GpuSpec unordered = named("c");
  unordered.sm_runs.clear();
  unordered.lone_cta_rate.reset();
  const std::vector<GpuSpec> gpus{without_ways("a"), named("whole"), unordered, without_ways("b")};
  EXPECT_EQ(
      assumed_text(gpus),
      "not measured on a, b, replayed with: ways as on the H200 (hbmscope calibrate measures a GPU)\n"
      "not measured on c, replayed with: rate of a lone CTA as on the H200; the order of SMs by a guess "
      "(hbmscope calibrate measures a GPU)\n");
}

TEST(AssumedText, AnL2WithOneSideNeedsNoOrder) {
  EXPECT_EQ(
      assumed_text(std::vector{load_gpu("l4")}),
      "not measured on l4, replayed with: ways, stretch, dirty share, rate of the younger CTA, rate of a "
      "lone CTA, deviation of steps, deviation of lone SMs, deviation of clocks as on the H200 (hbmscope "
      "calibrate measures a GPU)\n");
}

}  // namespace hbmscope
