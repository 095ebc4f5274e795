#include "sim/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"

namespace hbmscope {
namespace {

// A grid of `ctas` on an H200 (132 SMs, 2048 threads, 32 CTAs and 228 KiB of shared memory each).
Occupancy occupancy(std::int64_t ctas, std::int64_t threads, std::int64_t by_launch_bounds,
                    std::int64_t shared_bytes) {
  Program program;
  Launch& launch = program.launches.add();
  launch.loops.push(build::counted("tile", ctas));
  launch.grid_loops = 1;
  launch.threads = threads;
  launch.ctas_per_sm = by_launch_bounds;
  launch.shared_bytes = shared_bytes;
  return occupancy_of(launch, program, load_gpu("h200"));
}

}  // namespace

TEST(Occupancy, IsTheTightestLimit) {
  EXPECT_EQ(occupancy(1, 32, 64, 0).ctas_per_sm, 32);
  EXPECT_EQ(occupancy(1, 32, 64, 0).limited_by, "CTAs per SM");
  EXPECT_EQ(occupancy(1, 512, 64, 0).ctas_per_sm, 4);
  EXPECT_EQ(occupancy(1, 512, 64, 0).limited_by, "threads");
  EXPECT_EQ(occupancy(1, 128, 3, 0).ctas_per_sm, 3);
  EXPECT_EQ(occupancy(1, 128, 3, 0).limited_by, "launch bounds");
  // 1 KiB of each CTA's share belongs to the driver: 4 x (56 + 1) = 228 KiB.
  EXPECT_EQ(occupancy(1, 128, 8, std::int64_t{56} * 1024).ctas_per_sm, 4);
  EXPECT_EQ(occupancy(1, 128, 8, std::int64_t{57} * 1024).ctas_per_sm, 3);
  EXPECT_EQ(occupancy(1, 128, 8, std::int64_t{57} * 1024).limited_by, "shared memory");
}

TEST(Occupancy, WavesAreCtasOverResidentCtas) {
  EXPECT_DOUBLE_EQ(occupancy(264, 128, 2, 0).waves.value(), 1.0);
  EXPECT_DOUBLE_EQ(occupancy(396, 128, 2, 0).waves.value(), 1.5);
  EXPECT_EQ(occupancy(396, 128, 2, 0).ctas, 396);
}

TEST(Occupancy, HasNoWavesWhereNoCtaFits) {
  const Occupancy none = occupancy(396, 128, 2, std::int64_t{228} * 1024);
  EXPECT_EQ(none.ctas_per_sm, 0);
  EXPECT_EQ(none.limited_by, "shared memory");
  EXPECT_EQ(none.waves, std::nullopt);
}

TEST(Occupancy, PersistentLaunchesStartTheirOwnNumberOfCtas) {
  Program program;
  Launch& launch = program.launches.add();
  launch.loops.push(build::counted("tile", 1000));
  launch.grid_loops = 1;
  launch.threads = 128;
  launch.ctas_per_sm = 1;
  launch.persistent_ctas = 132;
  EXPECT_DOUBLE_EQ(occupancy_of(launch, program, load_gpu("h200")).waves.value(), 1.0);
}

// GPUs before compute capability 8.0 reserve no shared memory, and a launch may use none.
TEST(Occupancy, TakesLaunchesThatHoldNoSharedMemory) {
  GpuSpec gpu = load_gpu("h200");
  gpu.limits.shared_bytes_reserved = 0;
  Program program;
  Launch& launch = program.launches.add();
  launch.loops.push(build::counted("tile", 1000));
  launch.grid_loops = 1;
  launch.threads = 128;
  launch.ctas_per_sm = 12;
  const Occupancy occupancy = occupancy_of(launch, program, gpu);
  EXPECT_EQ(occupancy.ctas_per_sm, 12);
  EXPECT_EQ(occupancy.limited_by, "launch bounds");
}

TEST(LaunchLimit, SaysNeedAndLimit) {
  const GpuSpec gpu = load_gpu("h200");
  Launch launch;
  launch.name = "flash2";
  launch.threads = 128;
  launch.shared_bytes = 232448;
  EXPECT_EQ(launch_limit(launch, gpu), "");
  launch.shared_bytes = 232449;
  EXPECT_THAT(launch_limit(launch, gpu),
              testing::AllOf(testing::HasSubstr("232449"), testing::HasSubstr("232448")));
  launch.shared_bytes = 0;
  launch.threads = 2048;
  EXPECT_THAT(launch_limit(launch, gpu),
              testing::AllOf(testing::HasSubstr("2048"), testing::HasSubstr("1024")));
}

}  // namespace hbmscope
