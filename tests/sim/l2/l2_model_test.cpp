#include "sim/l2/l2_model.h"

#include <gtest/gtest.h>

#include "sim/error.h"
#include "sim/predict.h"

namespace hbmscope {
namespace {

// Three launches that share S and P.
struct Counted {
  Program program;
  Traffic traffic;

  Counted() {
    const Algorithm& standard = find_algorithm("standard");
    build_program(standard, find_variant(standard, "paper"), {}, program);
    count_traffic(program, traffic);
  }
};

}  // namespace

TEST(HbmTraffic, IsTheCompulsoryCountOfEveryLaunchAndTensorWithoutAnL2Model) {
  const Counted counted;
  HbmTraffic hbm;
  hbm_traffic(counted.program, counted.traffic, load_gpu("h200"), L2Mode::none, hbm);
  ASSERT_EQ(hbm.launches.count(), 3);
  ReadWrite total;
  for (int l = 0; l < hbm.launches.count(); ++l) {
    const LaunchHbmTraffic& launch = hbm.launches[l];
    ASSERT_EQ(launch.tensors.count(), counted.program.tensors.count());
    ReadWrite sum;
    for (int t = 0; t < launch.tensors.count(); ++t) {
      EXPECT_EQ(launch.tensors[t].read, counted.traffic.launches[l].tensors[t].compulsory.read);
      EXPECT_EQ(launch.tensors[t].write, counted.traffic.launches[l].tensors[t].compulsory.write);
      sum.read += launch.tensors[t].read;
      sum.write += launch.tensors[t].write;
    }
    EXPECT_EQ(launch.total.read, sum.read);
    EXPECT_EQ(launch.total.write, sum.write);
    total.read += sum.read;
    total.write += sum.write;
  }
  EXPECT_GT(hbm.total.read, 0U);
  EXPECT_EQ(hbm.total.read, total.read);
  EXPECT_EQ(hbm.total.write, total.write);
}

// A scratch serves one point after another.
TEST(HbmTraffic, ForgetsWhatItHeldBefore) {
  const Counted counted;
  const GpuSpec gpu = load_gpu("h200");
  HbmTraffic once;
  HbmTraffic twice;
  hbm_traffic(counted.program, counted.traffic, gpu, L2Mode::none, once);
  for (int i = 0; i < 2; ++i) hbm_traffic(counted.program, counted.traffic, gpu, L2Mode::none, twice);
  EXPECT_EQ(twice.launches.count(), once.launches.count());
  EXPECT_EQ(twice.total.read, once.total.read);
  EXPECT_EQ(twice.total.write, once.total.write);
}

// A run of many points goes on after one of them.
TEST(HbmTraffic, RefusesAReplayThatWouldTakeTooLong) {
  const Algorithm& algorithm = find_algorithm("flash2");
  Plan plan;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = 1 << 20;
  PredictionScratch scratch;
  const GpuSpec gpu = load_gpu("h200");
  const PointContext context{&gpu, &algorithm, &find_variant(algorithm, "mma")};
  EXPECT_THROW(predict(context, plan, L2Mode::replay, scratch), PointError);
  EXPECT_GT(predict(context, plan, L2Mode::none, scratch).hbm_read_bytes, 0U);
}

}  // namespace hbmscope
