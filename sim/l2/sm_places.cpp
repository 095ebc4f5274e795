#include "sim/l2/sm_places.h"

#include <algorithm>

namespace hbmscope {
namespace {

std::vector<SmRun> assumed_runs(const GpuSpec& gpu) {
  constexpr std::int64_t kRuns = 8;
  std::vector<SmRun> runs;
  for (std::int64_t run = 0; run < kRuns; ++run) {
    const std::int64_t sms = gpu.sms * (run + 1) / kRuns - gpu.sms * run / kRuns;
    if (sms > 0) runs.push_back({sms, run % gpu.l2().instances});
  }
  return runs;
}

std::int64_t tpcs_of(const SmRun& run) { return (run.sms + 1) / 2; }

// How many CTAs each run gets: the first as many as it holds; the others by turns, first one for each TPC and
// then the rest. Where turns begin does not depend on the order of the runs: on an H200 with the run of a GPC
// of which eight SMs are left (bench/recorded/calibrate_h200/sm_order.csv, ctas_h200/cta_trace.csv).
std::vector<std::int64_t> deal(const std::vector<SmRun>& runs, std::int64_t ctas) {
  std::vector<std::int64_t> dealt(runs.size());
  dealt[0] = std::min(ctas, runs[0].sms);
  std::int64_t left = ctas - dealt[0];
  const auto begin =
      std::min_element(runs.begin() + std::min<std::ptrdiff_t>(1, std::ssize(runs)), runs.end(),
                       [](const SmRun& a, const SmRun& b) { return a.sms < b.sms; });
  const std::size_t others = runs.size() - 1;
  const auto start = static_cast<std::size_t>(begin - runs.begin());
  for (const bool both_of_a_tpc : {false, true}) {
    for (bool any = true; any && left > 0;) {
      any = false;
      for (std::size_t turn = 0; turn < others && left > 0; ++turn) {
        const std::size_t run = 1 + (start - 1 + turn) % others;
        if (dealt[run] == (both_of_a_tpc ? runs[run].sms : tpcs_of(runs[run]))) continue;
        ++dealt[run];
        --left;
        any = true;
      }
    }
  }
  return dealt;
}

// The SMs of a run that its CTAs go to: to both of a TPC where there are more than TPCs, the first TPCs
// first.
std::vector<std::int64_t> sms_of_run(const SmRun& run, std::int64_t ctas) {
  const std::int64_t tpcs = tpcs_of(run);
  std::vector<std::int64_t> sms;
  for (std::int64_t tpc = 0; tpc < tpcs && static_cast<std::int64_t>(sms.size()) < ctas; ++tpc) {
    sms.push_back(2 * tpc);
    const bool both = tpc < ctas - tpcs && 2 * tpc + 1 < run.sms;
    if (both) sms.push_back(2 * tpc + 1);
  }
  return sms;
}

}  // namespace

std::vector<SmPlace> places_of_ctas(const GpuSpec& gpu, std::int64_t ctas, std::uint64_t seed) {
  std::vector<SmRun> runs = gpu.sm_runs.empty() ? assumed_runs(gpu) : gpu.sm_runs;
  if (gpu.sm_runs_rotate && gpu.sm_runs.size() > 2) {
    const auto others = runs.begin() + 1;
    std::rotate(others, others + static_cast<std::ptrdiff_t>(seed % (runs.size() - 1)), runs.end());
  }
  const std::vector<std::int64_t> dealt = deal(runs, ctas);
  std::vector<SmPlace> places;
  std::int64_t first = 0;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const std::int64_t sm : sms_of_run(runs[run], dealt[run])) {
      places.push_back(
          {static_cast<int>(first + sm), static_cast<int>(runs[run].side), static_cast<int>(run)});
    }
    first += runs[run].sms;
  }
  return places;
}

}  // namespace hbmscope
