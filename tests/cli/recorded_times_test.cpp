// How long flash1's CTAs took in the recorded launches gives about the rates that hbmscope calibrate measured
// (scripts/flash1_step_times prints them for every tile).
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "profiler/statistics.h"
#include "reports/csv.h"
#include "sim/gpu.h"
#include "sim/units.h"

namespace hbmscope::testing {
namespace {

constexpr std::int64_t kSms = 132;
constexpr std::int64_t kCalibrated =
    16;  // CTAs that calibrate times alone: with more a step takes 3 to 7 % longer
constexpr double kLaunchSeconds = 4e-6;  // of a kernel that does nothing, and its first loads

struct Step {
  std::int64_t ctas = 0;
  double seconds = 0;    // for one tile of Q
  double hbm_share = 0;  // bytes read from DRAM for each byte that SMs move
};

std::vector<Record> recorded(const std::string& path) {
  std::ifstream file(HBMSCOPE_SOURCE_DIR "/" + path);
  return read_csv(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

// Without a mask, of tiles with Bc = 64 and heads of at least seven tiles of Q.
std::vector<Step> steps_of(std::int64_t br, std::int64_t head_dim) {
  std::vector<Step> steps;
  for (const char* path :
       {"profiler/recorded/h200.csv", "tests/data/fresh_h200.csv", "tests/data/held_back_h200.csv"}) {
    for (const Record& row : recorded(path)) {
      const Problem& problem = row.point.problem;
      const std::int64_t q_tiles = ceil_div(problem.seqlen_q, br);
      if (row.point.algorithm != "flash1" || row.point.tile.br != br || row.point.tile.bc != 64 ||
          problem.head_dim != head_dim || problem.mask != Mask::full || q_tiles < 7 || !row.measurement)
        continue;
      const Measurement& measured = *row.measurement;
      if (!measured.time_s || !measured.hbm_read_bytes) continue;
      const auto count = static_cast<double>(q_tiles * ceil_div(problem.seqlen_kv, 64));
      const auto moved = static_cast<double>(*measured.l2_read_bytes + *measured.l2_write_bytes);
      steps.push_back({problem.batch * problem.heads, (*measured.time_s - kLaunchSeconds) / count,
                       static_cast<double>(*measured.hbm_read_bytes) / moved});
    }
  }
  return steps;
}

template <class Wanted>
std::optional<double> median_of(const std::vector<Step>& steps, double Step::*value, Wanted&& wanted) {
  std::vector<double> values;
  for (const Step& step : steps) {
    if (wanted(step)) values.push_back(step.*value);
  }
  return median(values);
}

}  // namespace

TEST(RecordedTimes, OfFlash1AreTheRatesOfItsLoneCtas) {
  const auto calibrated = [](const Step& step) { return step.ctas <= kCalibrated && step.hbm_share < 0.06; };
  const auto near = [](const Step& step) { return step.ctas <= kSms && step.hbm_share < 0.06; };
  const auto far = [](const Step& step) { return step.ctas == 64 && step.hbm_share > 0.5; };
  const auto pair = [](const Step& step) { return step.ctas > 150 && step.ctas < 180; };
  int lone_rates = 0;
  int stalls = 0;
  for (const KernelCtaRates& rates : load_gpu("h200").cta_rates) {
    if (rates.kernel != "flash1_mma") continue;
    const CtaRates& described = rates.builds.front().rates;
    const std::vector<Step> steps = steps_of(rates.br, rates.head_dim);
    const std::optional<double> alone = median_of(steps, &Step::seconds, near);
    const std::optional<double> alone_as_calibrated = median_of(steps, &Step::seconds, calibrated);
    const std::optional<double> beside_another = median_of(steps, &Step::seconds, pair);
    const std::optional<double> from_hbm = median_of(steps, &Step::seconds, far);
    if (alone_as_calibrated && beside_another) {
      EXPECT_NEAR(*beside_another / *alone_as_calibrated, described.lone, 0.1)
          << rates.br << " " << rates.head_dim;
      ++lone_rates;
    }
    if (alone && from_hbm) {
      EXPECT_NEAR((*from_hbm / *alone - 1) / *median_of(steps, &Step::hbm_share, far),
                  described.stall_beside(64.0 / kSms),
                  0.15)  // as much as between calibrations of several GPUs
          << rates.br << " " << rates.head_dim;
      ++stalls;
    }
  }
  EXPECT_GE(lone_rates, 3);
  EXPECT_GE(stalls, 4);
}

}  // namespace hbmscope::testing
