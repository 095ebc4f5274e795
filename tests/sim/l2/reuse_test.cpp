#include "sim/l2/reuse.h"

#include <gtest/gtest.h>

#include "sim/algorithms/algorithm.h"
#include "sim/traffic.h"

namespace hbmscope::test {
namespace {

struct Case {
  std::string algorithm = "flash2";
  std::string variant = "paper";
  Problem problem{.batch = 1, .heads = 4, .kv_heads = 4, .seqlen_q = 64, .seqlen_kv = 64};
  Order order = Order::q_fastest;
  std::int64_t sms = 6;
  Tile tile{.br = 16, .bc = 16};
};

// One CTA on each SM: no kernel is described.
LaunchReuse reuse_of(const Case& of, int launch = 0) {
  const Algorithm& algorithm = find_algorithm(of.algorithm);
  Program program;
  const Plan plan{.problem = of.problem, .tile = of.tile, .order = of.order};
  build_program(algorithm, find_variant(algorithm, of.variant), plan, program);
  Traffic traffic;
  count_traffic(program, traffic);
  GpuSpec gpu = load_gpu("l4");
  gpu.sms = of.sms;
  return launch_reuse(program, traffic, launch, gpu);
}

}  // namespace

// 16 CTAs, 4 to a head, 6 in flight: those of one head and half of the next. K and V of a head are 2 · 64
// rows of 128 columns in 2 bytes.
TEST(LaunchReuse, CountsHeadsThatAreLiveAtOnce) {
  const LaunchReuse reuse = reuse_of({});
  EXPECT_EQ(reuse.ctas, 16);
  EXPECT_EQ(reuse.in_flight, 6);
  ASSERT_EQ(reuse.within.count(), 2);
  EXPECT_EQ(reuse.within[0].loaded, 4 * reuse.within[0].distinct);
  EXPECT_EQ(reuse.heads, 4);
  EXPECT_DOUBLE_EQ(reuse.ctas_per_head, 4);
  EXPECT_DOUBLE_EQ(reuse.heads_live, 1.5);
  EXPECT_DOUBLE_EQ(reuse.head_bytes, 2 * 64 * 128 * 2);
  EXPECT_TRUE(reuse.carried.empty());
}

TEST(LaunchReuse, CountsAllHeadsWhereTheyTakeTurns) {
  EXPECT_DOUBLE_EQ(reuse_of({.order = Order::head_fastest, .sms = 8}).heads_live, 4);
  EXPECT_DOUBLE_EQ(reuse_of({.sms = 2}).heads_live, 1);
}

// Two query heads read the K and V of each KV head.
TEST(LaunchReuse, CountsKvHeadsOfGroupedQueries) {
  Case grouped;
  grouped.problem.kv_heads = 2;
  grouped.sms = 12;
  const LaunchReuse reuse = reuse_of(grouped);
  EXPECT_EQ(reuse.heads, 2);
  EXPECT_DOUBLE_EQ(reuse.ctas_per_head, 8);
  EXPECT_DOUBLE_EQ(reuse.heads_live, 1.5);
}

// One q tile for each head: every byte is read once.
TEST(LaunchReuse, FindsNothingWhereNothingIsReadAgain) {
  Case once;
  once.tile.br = 64;
  const LaunchReuse reuse = reuse_of(once);
  EXPECT_TRUE(reuse.within.empty());
  EXPECT_EQ(reuse.head_access, kNone);
}

// Softmax finds S, and the product P, where the launch before left it: 4 heads of 64 · 64 in 2 bytes.
TEST(LaunchReuse, KnowsWhatLaunchesHandOn) {
  Case standard;
  standard.algorithm = "standard";
  for (const int launch : {1, 2}) {
    const LaunchReuse reuse = reuse_of(standard, launch);
    ASSERT_EQ(reuse.carried.count(), 1);
    EXPECT_EQ(reuse.carried[0].distinct, 4U * 64 * 64 * 2);
  }
  EXPECT_TRUE(reuse_of(standard, 0).carried.empty());
}

}  // namespace hbmscope::test
