// The rates of an H200's CTAs, from what it noted (bench/recorded), against those of its description.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profiler/calibration/cta_rates.h"
#include "profiler/statistics.h"
#include "sim/record.h"
#include "tests/profiler/calibration/recorded_probe.h"

namespace hbmscope {
namespace {

// Traces of a tile's first build by the name of the launch.
using TileTraces = std::map<std::string, std::vector<CtaTrace>>;

std::map<std::tuple<std::string, std::int64_t, std::int64_t>, TileTraces> recorded_traces() {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, TileTraces> traces;
  for (const auto& row : recorded_probe("cta_trace.csv", "ctas_h200")) {
    const auto number = [&](const char* name) { return std::stoll(row.at(name)); };
    traces[{row.at("kernel"), number("br"), number("head_dim")}][row.at("launch")].push_back(
        {static_cast<int>(number("cta")), static_cast<int>(number("sm")),
         static_cast<std::uint64_t>(number("begin_ns")), static_cast<std::uint64_t>(number("end_ns")),
         static_cast<std::uint64_t>(number("cycles"))});
  }
  return traces;
}

}  // namespace

// What an H200 noted gives the rates that its description has: medians of five runs, of which this is the
// first.
TEST(SharingRates, OfTheRecordedTracesAreTheH200s) {
  const GpuSpec h200 = load_gpu("h200");
  const auto traces = recorded_traces();
  EXPECT_EQ(traces.size(), h200.cta_rates.size());
  for (const KernelCtaRates& measured : h200.cta_rates) {
    if (measured.kernel != "flash2_mma") continue;
    SCOPED_TRACE(measured.head_dim);
    const TileTraces& of = traces.at({measured.kernel, measured.br, measured.head_dim});
    const CtaRates& described = measured.builds.front().rates;
    const TracedRates traced =
        sharing_rates({.full = of.at("full"),
                       .full_long = of.at("full_long"),
                       .full_hbm = {of.at("full_hbm_0.125"), of.at("full_hbm_0.5"), of.at("full_hbm_1")},
                       .alone = of.at("alone"),
                       .alone_hbm = of.at("alone_hbm")},
                      static_cast<int>(of.at("full").size()) / (2 * 132))
            .value();
    EXPECT_EQ(traced.ctas_per_sm, described.ctas_per_sm);
    EXPECT_NEAR(traced.rates.younger, described.younger, 0.006);
    EXPECT_NEAR(traced.rates.further, described.further, 0.01);
    EXPECT_NEAR(traced.rates.lone, described.lone, 0.02);
    EXPECT_NEAR(traced.rates.stall, described.stall, 0.03);
    for (std::size_t i = 0; i < kStallShares.size(); ++i)
      EXPECT_NEAR(traced.rates.shared_stall[i], described.shared_stall[i], 0.01);
  }
}

namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

std::map<std::string, Rows> recorded_runs() {
  std::map<std::string, Rows> builds;
  for (const auto& row : recorded_probe("cta_rates.csv", "ctas_h200")) {
    if (row.at("kernel") != "flash2_mma") continue;
    builds[fmt::format("{} {} {} {} {} {}", row.at("br"), row.at("head_dim"), row.at("bc"), row.at("mask"),
                       row.at("order"), row.at("kv_walk"))]
        .push_back(row);
  }
  return builds;
}

double median_of_runs(const Rows& runs, const std::string& column) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(std::stod(run.at(column)));
  return median(values).value();
}

}  // namespace

// Of every build, which traces are not kept of.
TEST(SharingRates, OfTheRecordedRunsAreTheH200s) {
  const GpuSpec h200 = load_gpu("h200");
  const std::map<std::string, Rows> recorded = recorded_runs();
  std::map<std::string, std::vector<double>> deviations;
  std::size_t compared = 0;
  for (const KernelCtaRates& measured : h200.cta_rates) {
    if (measured.kernel != "flash2_mma") continue;
    for (const BuildCtaRates& build : measured.builds) {
      const std::string name =
          fmt::format("{} {} {} {} {} {}", measured.br, measured.head_dim, *build.bc, to_string(*build.mask),
                      to_string(*build.order), to_string(*build.kv_walk));
      const Rows& runs = recorded.at(name);
      EXPECT_NEAR(build.rates.younger, median_of_runs(runs, "younger"), 0.001) << name;
      EXPECT_NEAR(build.rates.further, median_of_runs(runs, "further"), 0.001) << name;
      EXPECT_NEAR(build.rates.lone, median_of_runs(runs, "lone"), 0.006) << name;
      EXPECT_NEAR(build.rates.stall, median_of_runs(runs, "stall"), 0.001) << name;
      for (std::size_t i = 0; i < kStallShares.size(); ++i) {
        const std::string column = fmt::format("shared_stall_{}", kStallShares[i]);
        EXPECT_NEAR(build.rates.shared_stall[i], median_of_runs(runs, column), 0.001) << name;
      }
      EXPECT_EQ(static_cast<double>(build.rates.ctas_per_sm), median_of_runs(runs, "ctas_per_sm")) << name;
      for (const char* column : {"step_deviation", "lone_sm_deviation", "gpc_clock_deviation"})
        deviations[column].push_back(median_of_runs(runs, column));
      ++compared;
    }
  }
  EXPECT_EQ(compared, recorded.size());
  EXPECT_EQ(compared, 22U * 18U);
  EXPECT_NEAR(median(deviations["step_deviation"]).value(), h200.shared_step_deviation.value().value, 5e-4);
  EXPECT_NEAR(median(deviations["lone_sm_deviation"]).value(), h200.lone_sm_deviation.value().value, 5e-5);
  EXPECT_NEAR(median(deviations["gpc_clock_deviation"]).value(), h200.gpc_clock_deviation.value().value,
              5e-5);
}

TEST(TracedCtaRates, OfTheRecordedTracesAreTheH200s) {
  const auto traces = recorded_traces();
  int compared = 0;
  for (const KernelCtaRates& measured : load_gpu("h200").cta_rates) {
    if (measured.kernel == "flash2_mma") continue;
    SCOPED_TRACE(measured.kernel + " " + std::to_string(measured.head_dim));
    const TileTraces& of = traces.at({measured.kernel, measured.br, measured.head_dim});
    const CtaRates& described = measured.builds.front().rates;
    const int ctas_per_sm = static_cast<int>(of.at("full").size()) / (2 * 132);
    const CtaRates rates = cta_rates_of(of.at("pairs"), of.at("full"), ctas_per_sm).value().rates;
    EXPECT_NEAR(rates.younger, described.younger, 0.015);
    EXPECT_NEAR(rates.further, described.further, 0.03);
    EXPECT_GT(rates.lone, 0.95);  // the traced ones waited for DRAM
    EXPECT_LT(rates.lone, described.lone + 0.1);
    ++compared;
  }
  EXPECT_EQ(compared, 20);
}

// Kernels whose CTAs wait for each tile: flash1 for Q and O, which are 6 of 10 bytes that it moves, the last
// launches of standard and standard-online for P or S, which come with a tile of V.
TEST(WaitingRates, OfTheRecordedTimesAreTheH200s) {
  const GpuSpec h200 = load_gpu("h200");
  int compared = 0;
  for (const auto& row : recorded_probe("lone_ctas.csv", "ctas_h200")) {
    const std::int64_t br = std::stoll(row.at("br"));
    const std::int64_t head_dim = std::stoll(row.at("head_dim"));
    const auto measured = std::ranges::find_if(h200.cta_rates, [&](const KernelCtaRates& each) {
      return each.kernel == row.at("kernel") && each.br == br && each.head_dim == head_dim;
    });
    ASSERT_NE(measured, h200.cta_rates.end());
    const double share =
        row.at("kernel") == "flash1_mma" ? 0.6 : static_cast<double>(br) / static_cast<double>(br + head_dim);
    RowKeyTimes times{.older_of_two = std::stod(row.at("older_of_two_cycles")),
                      .alone = std::stod(row.at("alone_cycles")),
                      .alone_hbm = std::stod(row.at("alone_hbm_cycles"))};
    const std::string& quiet = row.at("alone_hbm_quiet_cycles");
    if (!quiet.empty()) times.alone_hbm_quiet = std::stod(quiet);
    const CtaRates rates = waiting_rates({}, times, share);
    const CtaRates& described = measured->builds.front().rates;
    SCOPED_TRACE(fmt::format("{} {} {}", row.at("kernel"), br, head_dim));
    EXPECT_NEAR(rates.lone, described.lone, 0.006);
    EXPECT_NEAR(rates.stall, described.stall, 0.006);
    EXPECT_EQ(described.quiet_stall.has_value(), row.at("kernel") == "flash1_mma");
    EXPECT_NEAR(rates.quiet_stall.value_or(0), described.quiet_stall.value_or(0), 0.002);
    ++compared;
  }
  EXPECT_EQ(compared, 20);
}

}  // namespace hbmscope
