// The replay lies between no cache and an infinite one, exactly at both ends, for every program and cache
// layout.
#include "sim/l2/replay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>

#include "sim/algorithms/build.h"
#include "sim/l2/ring_program.h"
#include "sim/predict.h"
#include "sim/traffic.h"
#include "tests/sim/l2_capacity.h"
#include "tests/sim/programs/programs.h"
#include "tests/sim/random_programs.h"

namespace hbmscope::test {
namespace {

constexpr auto kAllTensors = [](const Tensor& /*tensor*/) { return true; };
constexpr auto kAllocated = [](const Tensor& tensor) { return is_allocated(tensor.role); };
constexpr auto kLocal = [](const Tensor& tensor) { return tensor.role == Role::local; };

template <class Counts>
ReadWrite replayed(const Program& program, const GpuSpec& gpu, Counts counts, std::uint64_t seed = 1) {
  HbmTraffic hbm;
  replay(program, gpu, seed, hbm);
  ReadWrite total;
  for (const LaunchHbmTraffic& launch : hbm.launches) {
    for (int tensor = 0; tensor < launch.tensors.count(); ++tensor) {
      if (!counts(program.tensors[tensor])) continue;
      total.read += launch.tensors[tensor].read;
      total.write += launch.tensors[tensor].write;
    }
  }
  return total;
}

ReadWrite replayed(const Program& program, const GpuSpec& gpu) { return replayed(program, gpu, kAllTensors); }

// Two sides with copies, one side, and eight sides with a cache behind them.
const std::array<std::string, 3> kLayouts{"h200", "l4", "mi300x"};

class Replay : public testing::TestWithParam<Builder> {};

INSTANTIATE_TEST_SUITE_P(Programs, Replay, testing::ValuesIn(all_builders()), [](const auto& builder) {
  std::string name = builder.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace

// Local memory is no part of the compulsory bytes; what becomes of it has a test of its own.
TEST_P(Replay, MovesTheCompulsoryBytesThroughAnInfiniteCache) {
  for (const std::string& name : kLayouts) {
    const GpuSpec gpu = with_capacity(name, 1e12);
    EXPECT_TRUE(rc::check([&] {
      const BuiltProgram built = GetParam()(*any_plan());
      Traffic closed;
      count_traffic(built.program, closed);
      const ReadWrite total = replayed(built.program, gpu, kAllocated);
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

TEST(ReplayOfAChangedGpu, ALineHeldOnceLeavesMoreRoom) {
  Plan plan;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = 16384;
  PredictionScratch scratch;
  const Algorithm& algorithm = find_algorithm("flash2");
  build_program(algorithm, find_variant(algorithm, "mma"), plan, scratch.program);
  const ReadWrite twice = replayed(scratch.program, load_gpu("h200"));
  const ReadWrite once = replayed(scratch.program, load_gpu("h200+l2.copies=1"));
  EXPECT_LT(once.read, twice.read);
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

// 24 MiB that lie end to end fill the sets evenly and are read from DRAM once; rows that lie 400 KiB apart do
// not.
TEST(ReplayOfPaddedRows, TheyLieWhereTheirPaddingPutsThem) {
  using namespace build;
  constexpr std::int64_t kRow = 16 * 1024;
  constexpr std::int64_t kRows = 24 * 1024 * 1024 / kRow;
  BuiltProgram built;
  const int buffer = tensor(built.program, "rows", Role::input, 1, kRows, kRow, 1);
  Launch& launch = built.program.launches.add();
  launch.loops.push(counted("CTA", 132));
  launch.grid_loops = 1;
  const int round = open_loop(launch, counted("round", 2));
  const int row = open_loop(launch, counted("row", kRows));
  load(launch, buffer, {}, tile_of(row, 1, kRows), whole(kRow));
  close_loop(launch, row);
  close_loop(launch, round);
  EXPECT_EQ(replayed(built.program, load_gpu("h200")).read, 24 * kMiB);
  built.program.tensors[buffer].row_stride = 25 * kRow;
  const ReadWrite padded = replayed(built.program, load_gpu("h200"));
  EXPECT_GT(padded.read, 26 * kMiB);
  EXPECT_LE(padded.read, 48 * kMiB);
}

TEST(ReplayOfManyBlocks, IsRefusedBeforeTheyAreCounted) {
  BuiltProgram built;
  const std::array<Bytes, 1> ring{kMiB};
  const std::array<RingPass, 1> once{{{}}};
  build_ring_program(ring, once, built.program);
  for (const std::int64_t planes : {std::int64_t{1} << 30, std::int64_t{1} << 62}) {
    built.program.tensors[0].planes = planes;
    HbmTraffic hbm;
    EXPECT_THROW(replay(built.program, load_gpu("h200"), 1, hbm), PointError) << planes;
  }
}

TEST(ReplayThatIsStopped, EndsSoon) {
  BuiltProgram built;
  const std::array<Bytes, 1> ring{kMiB};
  const std::array<RingPass, 1> for_days{{{.ctas = 132, .rounds = std::int64_t{1} << 30}}};
  build_ring_program(ring, for_days, built.program);
  HbmTraffic hbm;
  const std::atomic<bool> stop = true;
  EXPECT_THROW(replay(built.program, load_gpu("h200"), 1, hbm, &stop), Stopped);
}

// 3 SMs of one CTA each and 8 work items: an infinite cache writes back three pieces of local memory, however
// many items used them; fewer items than SMs touch fewer pieces.
TEST(ReplayOfLocalMemory, KeepsAPieceForEachResidentCta) {
  GpuSpec gpu = with_capacity("l4", 1e12);
  gpu.sms = 3;
  for (const std::int64_t items : {1, 2, 3, 8}) {
    Plan plan;
    plan.problem = {
        .heads = 1, .kv_heads = 1, .seqlen_q = items * 4, .seqlen_kv = 10, .head_dim = 2, .head_dim_v = 2};
    plan.tile = {.br = 4, .bc = 5};
    BuiltProgram built;
    build_spilling(plan, 3, 7, built);
    const ReadWrite local = replayed(built.program, gpu, kLocal);
    EXPECT_EQ(local.read, 0U) << items;
    EXPECT_EQ(local.write, static_cast<std::uint64_t>(7 * std::min<std::int64_t>(items, 3))) << items;
    // Without a cache every store goes to DRAM: 7 bytes for an item and 3 for each of its 2 tiles.
    const ReadWrite all = replayed(built.program, with_capacity(gpu, 0), kLocal);
    EXPECT_EQ(all.write, static_cast<std::uint64_t>(items * (7 + 2 * 3))) << items;
  }
}

}  // namespace hbmscope::test
