// What each launch of standard attention reads from DRAM, replayed, against counters of an H200 (tests/data):
// S and P near the size of the L2, which launches find partly. That O = PV waits for its tiles, and its
// evicted lines for nothing, was found with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/l2/l2_model.h"
#include "sim/traffic.h"
#include "tests/sim/h200_rows.h"

namespace hbmscope::test {
namespace {

using Launches = std::map<int, std::vector<double>>;  // bytes read, by launch, at every placement

std::map<std::pair<std::string, std::int64_t>, Launches> counted() {
  std::map<std::pair<std::string, std::int64_t>, Launches> points;
  for (const Row& row : rows_of("tests/data/standard_launches_h200.csv")) {
    points[{row.at("algorithm"), size(row, "seqlen")}][static_cast<int>(size(row, "launch"))].push_back(
        number(row, "dram_read_bytes"));
  }
  return points;
}

// Bytes read by every launch of the median placement.
std::vector<double> replayed(const std::string& name, std::int64_t seqlen) {
  Plan plan;
  plan.problem.heads = plan.problem.kv_heads = 9;
  plan.problem.head_dim = plan.problem.head_dim_v = 64;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = seqlen;
  const Algorithm& algorithm = find_algorithm(name);
  const auto program = std::make_unique<Program>();
  build_program(algorithm, find_variant(algorithm, "mma"), plan, *program);
  Traffic traffic;
  count_traffic(*program, traffic);
  HbmTraffic hbm;
  hbm_traffic(*program, traffic, load_gpu("h200"), L2Mode::replay, hbm);
  std::vector<double> bytes;
  for (const LaunchHbmTraffic& launch : hbm.launches) {
    bytes.push_back(0);
    for (const ReadWrite& tensor : launch.tensors) bytes.back() += static_cast<double>(tensor.read);
  }
  return bytes;
}

}  // namespace

TEST(StandardLaunchesOnH200, ReadWhatWasCounted) {
  const std::set<std::tuple<std::string, std::int64_t, int>> unexplained{{"standard", 1280, 1},
                                                                         {"standard-online", 1450, 1}};
  int compared = 0;
  for (const auto& [point, launches] : counted()) {
    const auto& [algorithm, seqlen] = point;
    const std::vector<double> reads = replayed(algorithm, seqlen);
    for (const auto& [launch, bytes] : launches) {
      ASSERT_EQ(bytes.size(), 2U);
      const double measured = (bytes[0] + bytes[1]) / 2;
      const double error = std::abs(reads.at(static_cast<std::size_t>(launch)) - measured);
      EXPECT_EQ(error <= std::max(0.07 * measured, 1e6), !unexplained.contains({algorithm, seqlen, launch}))
          << algorithm << ", N = " << seqlen << ", launch " << launch << ": counted " << measured
          << ", replayed off by " << error;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 25);
}

}  // namespace hbmscope::test
