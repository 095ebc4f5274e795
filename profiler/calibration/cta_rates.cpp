#include "profiler/calibration/cta_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "profiler/statistics.h"

namespace hbmscope {
namespace {

// Two CTAs that wait for tiles can be slower side by side than one after the other: 2.3 was seen (flash1,
// d = 256; bench/recorded/calibrate_h200/lone_ctas.csv). Why is not known.
constexpr double kMostLone = 3;

double duration_ns(const CtaTrace& trace) { return static_cast<double>(trace.end_ns - trace.begin_ns); }

// By SM, those that started first in front.
std::map<int, std::vector<const CtaTrace*>> by_sm(std::span<const CtaTrace> traces) {
  std::map<int, std::vector<const CtaTrace*>> sms;
  for (const CtaTrace& trace : traces) {
    if (trace.end_ns > trace.begin_ns) sms[trace.sm].push_back(&trace);
  }
  for (auto& [sm, ctas] : sms) std::ranges::sort(ctas, {}, &CtaTrace::cta);
  return sms;
}

// Median duration of the first CTA of SMs with so many.
double first_of(std::span<const CtaTrace> traces, std::size_t count) {
  std::vector<double> durations;
  for (const auto& [sm, ctas] : by_sm(traces)) {
    if (ctas.size() == count) durations.push_back(duration_ns(*ctas[0]));
  }
  return median(durations).value_or(0);
}

// A lone CTA against the older one of two, which has the other beside it all its life.
double lone_rate(std::span<const CtaTrace> some_pairs) {
  const double lone = first_of(some_pairs, 1);
  return lone > 0 ? first_of(some_pairs, 2) / lone : 0;
}

double deviation_share(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double variance = 0;
  for (const double value : values)
    variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return std::sqrt(variance) / mean;
}

// CTAs of an SM that were there when the first one of them ended.
std::size_t resident(const std::vector<const CtaTrace*>& ctas) {
  return static_cast<std::size_t>(std::ranges::count_if(
      ctas, [&](const CtaTrace* each) { return each->begin_ns < ctas.front()->end_ns; }));
}

// The oldest CTA of an SM has k - 1 others beside it all its life, T; each goes at r times the rate of the
// one before it. Whenever one ends, another takes its place and all that are older than that move up. The
// second has done r of its work when the first ends, goes on at full rate and ends (1 - r) T later, and so do
// the third after the second, and so on: r = 1 - (end of the k-th - end of the first) / ((k - 1) T).
double younger_rate(const std::vector<const CtaTrace*>& ctas, std::size_t k) {
  const double behind = static_cast<double>(ctas[k - 1]->end_ns) - static_cast<double>(ctas[0]->end_ns);
  return 1 - behind / (static_cast<double>(k - 1) * duration_ns(*ctas[0]));
}

// How many CTAs SMs held at once, and the rates of those that held several and then took up more.
TracedRates rates_when_full(std::span<const CtaTrace> full, int ctas_per_sm) {
  std::vector<double> held;
  std::vector<double> younger;
  std::vector<double> oldest_ns;
  for (const auto& [sm, ctas] : by_sm(full)) {
    const std::size_t k = resident(ctas);
    held.push_back(static_cast<double>(k));
    oldest_ns.push_back(duration_ns(*ctas.front()));
    if (k > 1 && ctas.size() > k)
      younger.push_back(younger_rate(ctas, std::min(k, static_cast<std::size_t>(ctas_per_sm))));
  }
  return {.ctas_per_sm = static_cast<int>(median(held).value_or(0)),
          .rates = {.younger = median(younger).value_or(0), .lone = 0},
          .deviation = deviation_share(oldest_ns)};
}

}  // namespace

std::optional<TracedRates> cta_rates_of(std::span<const CtaTrace> some_pairs, std::span<const CtaTrace> full,
                                        int ctas_per_sm) {
  if (ctas_per_sm < 2) return std::nullopt;
  TracedRates traced = rates_when_full(full, ctas_per_sm);
  if (traced.ctas_per_sm == 1) return std::nullopt;
  CtaRates& rates = traced.rates;
  rates.lone = lone_rate(some_pairs);
  // CTAs may end in any order where none is served first.
  if (rates.younger < 0.3 || rates.younger > 1.05 || rates.lone < 0.9 || rates.lone > kMostLone) {
    throw std::runtime_error(fmt::format(
        "with {} CTAs on an SM a younger one goes at {:.3f} of the older one's rate, and one alone at "
        "{:.3f}: expected 0.3 to 1.05 and 0.9 to {}",
        traced.ctas_per_sm, rates.younger, rates.lone, kMostLone));
  }
  rates.younger = std::min(rates.younger, 1.0);
  return traced;
}

double older_of_two_ns(std::span<const CtaTrace> traces) { return first_of(traces, 2); }
double lone_ns(std::span<const CtaTrace> traces) { return first_of(traces, 1); }

CtaRates waiting_rates(double younger, const RowKeyTimes& times, double read_share) {
  const double lone = times.older_of_two / times.alone;
  const double stall = (times.alone_hbm / times.alone - 1) / read_share;
  if (!(lone >= 0.9 && lone <= kMostLone && stall >= -0.1 && stall <= 3)) {  // negated so that NaN is caught
    throw std::runtime_error(fmt::format(
        "a row and a key take {:.3g} ns with two CTAs on an SM, {:.3g} alone and {:.3g} from DRAM: expected "
        "0.9 to {} times as long with two, and no less from DRAM",
        times.older_of_two, times.alone, times.alone_hbm, kMostLone));
  }
  return {.younger = younger, .lone = lone, .stall = std::max(stall, 0.0)};
}

}  // namespace hbmscope
