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
// d = 256; bench/recorded/ctas_h200/lone_ctas.csv). Why is not known.
constexpr double kMostLone = 3;

constexpr double kMostStall = 3;
constexpr double kLeastSharedStall = 1e-4;  // as little as medians of cycles differ by

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

double cycles(const CtaTrace& trace) { return static_cast<double>(trace.cycles); }

// Median cycles of the first CTA of SMs with so many.
double first_of(std::span<const CtaTrace> traces, std::size_t count) {
  std::vector<double> durations;
  for (const auto& [sm, ctas] : by_sm(traces)) {
    if (ctas.size() == count) durations.push_back(cycles(*ctas[0]));
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

// The oldest CTA of an SM has k - 1 others beside it all its life, T, and a CTA with i older ones goes at r_i
// times its rate, r_0 = 1. Whenever one ends, another takes its place and all that are younger move up, so
// that CTA i, which ends at t_i, does the work of T in T r_i + Σ (t_m - t_{m-1}) r_{i-m}, m = 1 … i. Returns
// r_0 … r_{k-1}.
std::vector<double> rates_by_age(const std::vector<const CtaTrace*>& ctas, std::size_t k) {
  const double whole = duration_ns(*ctas[0]);
  std::vector<double> rates{1};
  for (std::size_t i = 1; i < k; ++i) {
    double rest = whole;
    for (std::size_t m = 1; m <= i; ++m) {
      rest -=
          (static_cast<double>(ctas[m]->end_ns) - static_cast<double>(ctas[m - 1]->end_ns)) * rates[i - m];
    }
    rates.push_back(rest / whole);
  }
  return rates;
}

// By how much each further one falls behind the one before it, from the last of them.
double further_rate(const std::vector<double>& by_age) {
  if (by_age.size() < 3) return by_age.back();
  return std::pow(by_age.back() / by_age[1], 1 / static_cast<double>(by_age.size() - 2));
}

// How many CTAs SMs held at once, and the rates of those that held several and then took up more.
TracedRates rates_when_full(std::span<const CtaTrace> full, int ctas_per_sm) {
  std::vector<double> held;
  std::vector<double> younger;
  std::vector<double> further;
  for (const auto& [sm, ctas] : by_sm(full)) {
    const std::size_t k = resident(ctas);
    held.push_back(static_cast<double>(k));
    if (k < 2 || ctas.size() <= k) continue;
    const std::vector<double> by_age = rates_by_age(ctas, std::min(k, static_cast<std::size_t>(ctas_per_sm)));
    if (by_age[1] <= 0 || by_age.back() <= 0) continue;  // held up by something else
    younger.push_back(by_age[1]);
    further.push_back(further_rate(by_age));
  }
  return {.ctas_per_sm = static_cast<int>(median(held).value_or(0)),
          .rates = {.younger = median(younger).value_or(0), .further = median(further).value_or(0)}};
}

// CTAs may end in any order where none is served first.
void check_rates(TracedRates& traced) {
  CtaRates& rates = traced.rates;
  const auto is_younger = [](double rate) { return rate >= 0.3 && rate <= 1.05; };  // NaN is not
  if (!is_younger(rates.younger) || !is_younger(rates.further) ||
      !(rates.lone >= 0.9 && rates.lone <= kMostLone)) {
    throw std::runtime_error(fmt::format(
        "with {} CTAs on an SM the second oldest goes at {:.3f} of the oldest one's rate, each "
        "further one at {:.3f} of the rate of the one before it, and one alone at {:.3f}: expected "
        "0.3 to 1.05, the same, and 0.9 to {}",
        traced.ctas_per_sm, rates.younger, rates.further, rates.lone, kMostLone));
  }
  rates.younger = std::min(rates.younger, 1.0);
  rates.further = std::min(rates.further, 1.0);
}

double stall_of(double stall) {
  if (stall >= -0.1 && stall <= kMostStall) return std::max(stall, 0.0);  // NaN is not
  throw std::runtime_error(
      fmt::format("a CTA loses {:.3g} of its time while what it loads comes from DRAM: expected -0.1 to {}",
                  stall, kMostStall));
}

// What SMs' first CTAs took.
std::vector<double> oldest_cycles(std::span<const CtaTrace> traces) {
  std::vector<double> durations;
  for (const auto& [sm, ctas] : by_sm(traces)) durations.push_back(cycles(*ctas.front()));
  return durations;
}

double median_of_oldest(std::span<const CtaTrace> traces) {
  return median(oldest_cycles(traces)).value_or(0);
}

// Of all CTAs of a launch.
double clock_deviation(std::span<const CtaTrace> traces) {
  std::vector<double> clocks;
  for (const auto& [sm, ctas] : by_sm(traces)) {
    double ns = 0;
    double all_cycles = 0;
    for (const CtaTrace* each : ctas) {
      ns += duration_ns(*each);
      all_cycles += cycles(*each);
    }
    clocks.push_back(all_cycles / ns);
  }
  return deviation_share(clocks);
}

// Tiles that take longer and shorter at random even out: the deviation of n of them is 1 / sqrt(n) of one's.
// Clocks come nearer to each other while a launch goes on: in the long one, as CTAs have time to drift.
SmDeviations deviations_of(const SharingTraces& traces) {
  return {.step = deviation_share(oldest_cycles(traces.full_long)) * std::sqrt(traces.long_tiles),
          .lone_sm = deviation_share(oldest_cycles(traces.alone)),
          .gpc_clock = clock_deviation(traces.full_long)};
}

}  // namespace

std::optional<TracedRates> cta_rates_of(std::span<const CtaTrace> some_pairs, std::span<const CtaTrace> full,
                                        int ctas_per_sm) {
  if (ctas_per_sm < 2) return std::nullopt;
  TracedRates traced = rates_when_full(full, ctas_per_sm);
  if (traced.ctas_per_sm == 1) return std::nullopt;
  traced.rates.lone = lone_rate(some_pairs);
  check_rates(traced);
  return traced;
}

std::optional<TracedRates> sharing_rates(const SharingTraces& traces, int ctas_per_sm) {
  if (ctas_per_sm < 2) return std::nullopt;
  TracedRates traced = rates_when_full(traces.full, ctas_per_sm);
  if (traced.ctas_per_sm == 1) return std::nullopt;
  const double oldest = median_of_oldest(traces.full);
  traced.rates.lone = oldest / lone_cycles(traces.alone);
  traced.rates.stall = stall_of(lone_cycles(traces.alone_hbm) / lone_cycles(traces.alone) - 1);
  for (std::size_t share = 0; share < kStallShares.size(); ++share) {
    const double stall = stall_of(median_of_oldest(traces.full_hbm[share]) / oldest - 1);
    traced.rates.shared_stall[share] = std::max(stall, kLeastSharedStall);
  }
  traced.deviations = deviations_of(traces);
  check_rates(traced);
  return traced;
}

double older_of_two_cycles(std::span<const CtaTrace> traces) { return first_of(traces, 2); }
double lone_cycles(std::span<const CtaTrace> traces) { return first_of(traces, 1); }

CtaRates waiting_rates(CtaRates rates, const RowKeyTimes& times, double read_share) {
  rates.lone = times.older_of_two / times.alone;
  if (!(rates.lone >= 0.9 && rates.lone <= kMostLone)) {  // negated so that NaN is caught
    throw std::runtime_error(fmt::format(
        "a row and a key take {:.3g} cycles with two CTAs on an SM and {:.3g} alone: expected 0.9 to {} "
        "times as long with two",
        times.older_of_two, times.alone, kMostLone));
  }
  const auto stall = [&](double hbm) { return stall_of((hbm / times.alone - 1) / read_share); };
  rates.stall = stall(times.alone_hbm);
  if (times.alone_hbm_quiet) rates.quiet_stall = stall(*times.alone_hbm_quiet);
  return rates;
}

}  // namespace hbmscope
