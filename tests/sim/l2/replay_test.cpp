// The replay lies between no cache and an infinite one, exactly at both ends, for every program and cache
// layout.
#include "sim/l2/replay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/traffic.h"
#include "tests/sim/random_programs.h"

namespace hbmscope::test {
namespace {

GpuSpec with_capacity(std::string_view name, double bytes) {
  GpuSpec gpu = load_gpu(name);
  for (CacheLevel& level : gpu.caches) level.capacity_bytes.value = bytes;
  return gpu;
}

ReadWrite replayed(const Program& program, const GpuSpec& gpu, std::uint64_t seed = 1) {
  HbmTraffic hbm;
  replay(program, gpu, seed, hbm);
  ReadWrite total;
  for (const LaunchHbmTraffic& launch : hbm.launches) {
    for (const ReadWrite& tensor : launch.tensors) {
      total.read += tensor.read;
      total.write += tensor.write;
    }
  }
  return total;
}

// Two sides with copies, one side, and eight sides with a cache behind them.
const std::array<std::string, 3> kLayouts{"h200", "l4", "mi300x"};

class Replay : public testing::TestWithParam<Builder> {};

INSTANTIATE_TEST_SUITE_P(Programs, Replay, testing::ValuesIn(all_builders()), [](const auto& builder) {
  std::string name = builder.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace

TEST_P(Replay, MovesTheCompulsoryBytesThroughAnInfiniteCache) {
  for (const std::string& name : kLayouts) {
    const GpuSpec gpu = with_capacity(name, 1e12);
    EXPECT_TRUE(rc::check([&] {
      const BuiltProgram built = GetParam()(*any_plan());
      Traffic closed;
      count_traffic(built.program, closed);
      const ReadWrite total = replayed(built.program, gpu);
      RC_ASSERT(total.read == total_of(closed).compulsory.read);
      RC_ASSERT(total.write == total_of(closed).compulsory.write);
    })) << name;
  }
}

TEST_P(Replay, MovesEveryAccessWithoutACache) {
  for (const std::string& name : kLayouts) {
    const GpuSpec gpu = with_capacity(name, 0);
    EXPECT_TRUE(rc::check([&] {
      const BuiltProgram built = GetParam()(*any_plan());
      Traffic closed;
      count_traffic(built.program, closed);
      const ReadWrite total = replayed(built.program, gpu);
      RC_ASSERT(total.read == total_of(closed).io.read);
      RC_ASSERT(total.write == total_of(closed).io.write);
    })) << name;
  }
}

TEST_P(Replay, LiesBetweenTheTwo) {
  const GpuSpec gpu = with_capacity("h200", 256 * 1024);
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    const TensorTraffic bounds = total_of(closed);
    const ReadWrite total = replayed(built.program, gpu);
    RC_ASSERT(total.read >= bounds.compulsory.read);
    RC_ASSERT(total.read <= bounds.io.read);
    RC_ASSERT(total.write >= bounds.compulsory.write);
    RC_ASSERT(total.write <= bounds.io.write);
    const ReadWrite again = replayed(built.program, gpu);
    RC_ASSERT(total.read == again.read);
    RC_ASSERT(total.write == again.write);
  }));
}

}  // namespace hbmscope::test
