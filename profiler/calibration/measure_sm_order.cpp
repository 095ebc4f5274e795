// In which order launches fill the SMs, for CTAs of which one or several fit on an SM.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profiler/calibration/evidence.h"
#include "profiler/calibration/kernels.h"
#include "profiler/calibration/measure.h"

namespace hbmscope {
namespace {

constexpr unsigned kThreads = 128;

SmOrder order_of(Probe& probe, const Kernel& find_sm, int ctas, unsigned shared_bytes) {
  const DeviceArray<unsigned> sm_of_cta(static_cast<std::size_t>(ctas));
  const DeviceArray<std::uint64_t> start_ns(static_cast<std::size_t>(ctas));
  probe.run(find_sm,
            {.grid_x = static_cast<unsigned>(ctas), .threads = kThreads, .shared_bytes = shared_bytes},
            sm_of_cta.address(), start_ns.address());
  const std::vector<unsigned> sms = sm_of_cta.values();
  return {sms.begin(), sms.end()};
}

}  // namespace

void measure_sm_order(Calibration& calibration) {
  Probe& probe = calibration.probe;
  const Kernel find_sm = probe.kernel(calibration_build("sm_order"), "find_sm");
  const auto limit =
      static_cast<unsigned>(probe.device().attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  // More than half of what an SM has: one CTA to each.
  const unsigned alone = limit / 1024 * 7 / 8 * 1024;
  find_sm.allow_dynamic_shared_bytes(limit);
  EvidenceFile file(calibration.evidence, "sm_order.csv", "ctas,shared_bytes,position,sm");
  const int sms = probe.sms();
  std::map<int, SmOrder> orders;  // by number of CTAs, of one to each SM
  for (const unsigned shared_bytes : {30 * 1024U, 60 * 1024U, alone}) {
    if (shared_bytes > limit) continue;
    for (const int ctas : {sms / 6, sms / 4, sms / 3, sms / 2, sms * 3 / 4, sms, 2 * sms}) {
      const SmOrder order = order_of(probe, find_sm, ctas, shared_bytes);
      for (std::size_t i = 0; i < order.size(); ++i)
        file.row(fmt::format("{},{},{},{}", ctas, shared_bytes, i, order[i]));
      if (shared_bytes == alone) orders[ctas] = order;
    }
  }
  calibration.findings.sm_runs =
      sm_runs_of(orders.at(sms), orders.at(sms / 6), calibration.findings.sm_sides);
}

}  // namespace hbmscope
