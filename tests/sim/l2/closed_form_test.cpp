// The closed form lies between no cache and an infinite one, exactly at both ends, for every program and
// cache layout; how far it is from the replay is a matter of closed_form_difference_test.
#include "sim/l2/closed_form.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

#include "sim/predict.h"
#include "tests/sim/l2_capacity.h"
#include "tests/sim/programs/programs.h"
#include "tests/sim/random_programs.h"

namespace hbmscope::test {
namespace {

// Calls check(tensor, its counts, its estimate) for every tensor of every launch, views added to their base.
template <class Check>
void estimate_tensors(const Program& program, const GpuSpec& gpu, Check check) {
  Traffic traffic;
  count_traffic(program, traffic);
  HbmTraffic hbm;
  estimate_hbm(program, traffic, gpu, hbm);
  RC_ASSERT(hbm.launches.count() == program.launches.count());
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    RC_ASSERT(hbm.launches[launch].tensors.count() == program.tensors.count());
    for (int base = 0; base < program.tensors.count(); ++base) {
      if (program.tensors[base].view_of != kNone) continue;
      TensorTraffic bytes;
      ReadWrite estimate;
      for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
        if (base_tensor(program, tensor) != base) continue;
        const TensorTraffic& of_view = traffic.launches[launch].tensors[tensor];
        bytes.io.read += of_view.io.read;
        bytes.io.write += of_view.io.write;
        bytes.compulsory.read += of_view.compulsory.read;
        bytes.compulsory.write += of_view.compulsory.write;
        estimate.read += hbm.launches[launch].tensors[tensor].read;
        estimate.write += hbm.launches[launch].tensors[tensor].write;
      }
      check(program.tensors[base], bytes, estimate);
    }
  }
}

// Two sides with copies, one side, and eight sides with a cache behind them.
const std::array<std::string, 3> kLayouts{"h200", "l4", "mi300x"};

class ClosedForm : public testing::TestWithParam<Builder> {};

INSTANTIATE_TEST_SUITE_P(Programs, ClosedForm, testing::ValuesIn(all_builders()), [](const auto& builder) {
  std::string name = builder.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

Prediction predicted(const Point& point) { return *predict_record(point).prediction; }

Point flash2(std::int64_t seqlen, L2Mode mode) {
  Point point{.gpu = "h200", .algorithm = "flash2", .variant = "mma"};
  point.problem.seqlen_q = point.problem.seqlen_kv = seqlen;
  point.tile = {.br = 128, .bc = 64};
  point.l2_mode = mode;
  return point;
}

}  // namespace

TEST_P(ClosedForm, IsTheCompulsoryBytesOfAnInfiniteCache) {
  for (const std::string& name : kLayouts) {
    const GpuSpec gpu = with_capacity(name, 1e15);
    EXPECT_TRUE(rc::check([&] {
      estimate_tensors(GetParam()(*any_plan()).program, gpu,
                       [](const Tensor& tensor, const TensorTraffic& bytes, const ReadWrite& estimate) {
                         if (!is_allocated(tensor.role)) return;
                         RC_ASSERT(estimate.read == bytes.compulsory.read);
                         RC_ASSERT(estimate.write == bytes.compulsory.write);
                       });
    })) << name;
  }
}

TEST_P(ClosedForm, IsEveryAccessWithoutACache) {
  for (const std::string& name : kLayouts) {
    const GpuSpec gpu = with_capacity(name, 0);
    EXPECT_TRUE(rc::check([&] {
      estimate_tensors(GetParam()(*any_plan()).program, gpu,
                       [](const Tensor&, const TensorTraffic& bytes, const ReadWrite& estimate) {
                         RC_ASSERT(estimate.read == bytes.io.read);
                         RC_ASSERT(estimate.write == bytes.io.write);
                       });
    })) << name;
  }
}

// With caches of the size of these small programs' tensors.
TEST_P(ClosedForm, LiesBetweenCompulsoryBytesAndIo) {
  for (const std::string& name : kLayouts) {
    EXPECT_TRUE(rc::check([&] {
      const GpuSpec gpu = with_capacity(name, *rc::gen::element(1e4, 1e5, 1e6));
      estimate_tensors(GetParam()(*any_plan()).program, gpu,
                       [](const Tensor&, const TensorTraffic& bytes, const ReadWrite& estimate) {
                         RC_ASSERT(estimate.read >= bytes.compulsory.read);
                         RC_ASSERT(estimate.read <= bytes.io.read);
                         RC_ASSERT(estimate.write >= bytes.compulsory.write);
                         RC_ASSERT(estimate.write <= bytes.io.write);
                       });
    })) << name;
  }
}

// By hand: 64 q tiles of 128 rows, 132 SMs with two CTAs. K and V of two heads, 8.4 MB, fit; of 32 heads that
// run side by side, 134 MB, none is left when the next 132 CTAs come to it: 2048 / 132 times 134 MB, and Q.
TEST(ClosedFormOfFlash2, FetchesKAndVForEveryCohortIfManyHeadsRunSideBySide) {
  Point point = flash2(8192, L2Mode::model);
  point.problem.heads = point.problem.kv_heads = 32;
  const double q = 32 * 8192 * 256.0;
  EXPECT_NEAR(static_cast<double>(predicted(point).hbm_read_bytes), 3 * q, 0.05 * 3 * q);
  point.order = Order::head_fastest;
  // The first two cohorts start together: what little they drift apart the L2 bridges in part.
  EXPECT_NEAR(static_cast<double>(predicted(point).hbm_read_bytes), q + (2048.0 / 132 - 0.5) * 2 * q, 2 * q);
}

// A larger cache never makes the estimate larger. The sizes are those of the capacity that a side has.
TEST(ClosedFormOfFlash2, FallsWithTheCapacity) {
  const Algorithm& algorithm = find_algorithm("flash2");
  const Variant& variant = find_variant(algorithm, "mma");
  PredictionScratch scratch;
  for (const Mask mask : {Mask::full, Mask::causal}) {
    Plan plan;
    plan.problem.seqlen_q = plan.problem.seqlen_kv = 32768;
    plan.problem.mask = mask;
    std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
    for (double mib = 4; mib <= 256; mib *= 1.25) {
      const GpuSpec gpu = with_capacity("h200", mib * 1024 * 1024);
      const std::uint64_t read =
          predict({&gpu, &algorithm, &variant}, plan, L2Mode::model, scratch).hbm_read_bytes;
      EXPECT_LE(read, before) << mib << " MiB";
      before = read;
    }
    EXPECT_EQ(before, std::uint64_t{3} * 16 * 32768 * 256);
  }
}

// S, 2 MiB a head, is read back from the L2 while it fits, from HBM when it does not.
TEST(ClosedFormOfStandard, ReadsSFromHbmOnceItExceedsTheL2) {
  Point point{.gpu = "h200", .algorithm = "standard", .variant = "mma"};
  point.problem.seqlen_q = point.problem.seqlen_kv = 1024;
  point.tile = {.br = 128, .bc = 64};
  point.l2_mode = L2Mode::model;
  point.problem.heads = point.problem.kv_heads = 4;
  const std::uint64_t inputs = std::uint64_t{3} * 1024 * 256;
  EXPECT_EQ(predicted(point).hbm_read_bytes, 4 * inputs);
  point.problem.heads = point.problem.kv_heads = 64;
  const std::uint64_t scores = std::uint64_t{64} * 1024 * 1024 * 2;
  EXPECT_NEAR(static_cast<double>(predicted(point).hbm_read_bytes),
              static_cast<double>(64 * inputs + 2 * scores), 0.005 * 2 * scores);
}

}  // namespace hbmscope::test
