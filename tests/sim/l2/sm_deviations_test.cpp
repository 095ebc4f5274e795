// What draws SMs apart in a replay: clocks of GPCs, how far SMs lie from the L2, and steps that schedulers do
// not serve alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "sim/l2/cta_slots.h"
#include "sim/l2/sm_places.h"
#include "tests/sim/l2/equal_sms.h"

namespace hbmscope {
namespace {

// Accesses of every item when the first item ends.
std::map<std::int64_t, int> done_by_then(const Program& program, const GpuSpec& gpu) {
  std::map<std::int64_t, int> done;
  int most = 0;
  visit_stream(program, [&](const TileAccess& access) { most = std::max(most, ++done[access.item]); });
  done.clear();
  bool ended = false;
  const LaunchBody body(program, 0);
  CtaSlots(body, gpu, 0).run([&](const TileAccess& access, int) {
    if (!ended) ended = ++done[access.item] == most;
    return HbmBytes{};
  });
  return done;
}

double deviation_of(const std::map<std::int64_t, int>& done, std::int64_t items) {
  double sum = 0;
  double squares = 0;
  for (std::int64_t item = 0; item < items; ++item) {
    sum += done.at(item);
    squares += static_cast<double>(done.at(item)) * done.at(item);
  }
  const double mean = sum / static_cast<double>(items);
  return std::sqrt(squares / static_cast<double>(items) - mean * mean) / mean;
}

}  // namespace

// Lone CTAs, each of which knows no other: those of a GPC keep in step, those of others do not.
TEST(SmDeviations, GpcsHaveClocksOfTheirOwn) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  const auto program = flash2(1, 132 * 128);
  EXPECT_NEAR(deviation_of(done_by_then(*program, gpu), 132), 0, 1e-3);
  gpu.gpc_clock_deviation->value = 0.05;
  const std::map<std::int64_t, int> done = done_by_then(*program, gpu);
  std::map<int, std::set<int>> of_gpcs;
  const std::vector<SmPlace> places = places_of_ctas(gpu, 132, 0);
  for (std::size_t cta = 0; cta < places.size(); ++cta)
    of_gpcs[places[cta].gpc].insert(done.at(static_cast<std::int64_t>(cta)));
  EXPECT_EQ(of_gpcs.size(), gpu.sm_runs.size());
  std::set<int> all;
  for (const auto& [gpc, progress] : of_gpcs) {
    EXPECT_LE(*progress.rbegin() - *progress.begin(), 2) << gpc;
    all.insert(*progress.begin());
  }
  EXPECT_GT(*all.rbegin() - *all.begin(), 4);
  program->launches[0].gpc_clock_deviation = 0;  // what is known of a kernel goes before
  EXPECT_NEAR(deviation_of(done_by_then(*program, gpu), 132), 0, 1e-3);
}

// That SMs lie near the L2 or far from it shows where a CTA has an SM to itself.
TEST(SmDeviations, LoneCtasOfDifferentSmsDifferAndThoseThatShareSmsDoNot) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  gpu.lone_sm_deviation->value = 0.05;
  EXPECT_NEAR(deviation_of(done_by_then(*flash2(1, 132 * 128), gpu), 132), 0.05, 0.01);
  EXPECT_NEAR(deviation_of(done_by_then(*flash2(2, 132 * 128), gpu), 132), 0, 1e-3);
}

// Of CTAs that share SMs: four times as many tiles differ by half as much.
TEST(SmDeviations, UnevenStepsEvenOut) {
  GpuSpec gpu = load_gpu("h200");
  share_alike(gpu);
  EXPECT_NEAR(deviation_of(done_by_then(*flash2(2, 132 * 128), gpu), 132), 0, 1e-3);
  gpu.shared_step_deviation->value = 0.3;
  const double of_few = deviation_of(done_by_then(*flash2(8, 33 * 128), gpu), 132);
  const double of_many = deviation_of(done_by_then(*flash2(2, 132 * 128), gpu), 132);
  EXPECT_NEAR(of_few, 0.3 / std::sqrt(66), 0.008);  // tiles of 64 keys
  EXPECT_NEAR(of_many, of_few / 2, 0.005);
}

}  // namespace hbmscope
