#include "profiler/calibration/cta_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "profiler/statistics.h"

namespace hbmscope {
namespace {

struct Pair {
  double younger = 0;
  std::optional<double> lone;  // absent if the younger one had little left
};

// Entries of a trace between which the CTA is watched.
double rate_between(const CtaTrace& trace, std::size_t first, std::size_t last) {
  return static_cast<double>(last - first) /
         static_cast<double>(trace.times_ns[last] - trace.times_ns[first]);
}

// From whole pieces of work before and after the older one's end: the piece at that moment is of both kinds.
// Absent if the two did not run together.
std::optional<Pair> rates_of(const CtaTrace& older, const CtaTrace& younger) {
  const std::vector<std::uint64_t>& times = younger.times_ns;
  const std::size_t last = times.size() - 1;
  const std::uint64_t end = older.times_ns.back();
  const auto after = static_cast<std::size_t>(std::ranges::lower_bound(times, end) - times.begin());
  if (after < 3 || older.times_ns.front() >= end) return std::nullopt;
  const double older_rate = rate_between(older, 0, older.times_ns.size() - 1);
  Pair pair{.younger = rate_between(younger, 0, after - 1) / older_rate, .lone = {}};
  if (after + 1 < last) pair.lone = rate_between(younger, after, last) / older_rate;
  return pair;
}

bool is_usable(const CtaTrace& trace) {
  for (std::size_t i = 1; i < trace.times_ns.size(); ++i) {
    if (trace.times_ns[i] <= trace.times_ns[i - 1]) return false;
  }
  return trace.times_ns.size() > 2;
}

}  // namespace

CtaRates cta_rates_of(std::span<const CtaTrace> traces) {
  std::map<int, std::vector<const CtaTrace*>> by_sm;  // in the order of CTAs
  for (const CtaTrace& trace : traces) {
    if (is_usable(trace)) by_sm[trace.sm].push_back(&trace);
  }
  std::vector<double> younger;
  std::vector<double> lone;
  for (const auto& [sm, ctas] : by_sm) {
    if (ctas.size() != 2) continue;
    const bool in_order = ctas[0]->cta < ctas[1]->cta;
    const std::optional<Pair> pair = in_order ? rates_of(*ctas[0], *ctas[1]) : rates_of(*ctas[1], *ctas[0]);
    if (!pair) continue;
    younger.push_back(pair->younger);
    if (pair->lone) lone.push_back(*pair->lone);
  }
  const CtaRates rates{median(younger).value_or(0), median(lone).value_or(0),
                       static_cast<int>(younger.size())};
  if (lone.empty() || rates.younger < 0.3 || rates.younger > 1 || rates.lone < 0.9 || rates.lone > 2.2) {
    throw std::runtime_error(fmt::format(
        "of {} SMs with two CTAs the younger one goes at {:.3f} of the older one's rate and, alone, "
        "at {:.3f}: expected 0.3 to 1 and 0.9 to 2.2",
        younger.size(), rates.younger, rates.lone));
  }
  return rates;
}

}  // namespace hbmscope
