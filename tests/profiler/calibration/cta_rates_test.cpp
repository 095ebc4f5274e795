#include "profiler/calibration/cta_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hbmscope {
namespace {

constexpr double kLoneNs = 1e6;  // that the work of a CTA takes where it is alone on its SM

CtaTrace traced(int cta, int sm, double begin_ns, double end_ns) {
  const auto at = [](double ns) { return static_cast<std::uint64_t>(1e9 + ns); };
  return {cta, sm, at(begin_ns), at(end_ns), at(end_ns) - at(begin_ns)};
}

// One CTA on each SM, and a second one on the first of them.
std::vector<CtaTrace> some_pairs(int lone_sms, int paired_sms, double lone) {
  std::vector<CtaTrace> traces;
  for (int sm = 0; sm < lone_sms + paired_sms; ++sm)
    traces.push_back(traced(sm, sm, 0, sm < paired_sms ? lone * kLoneNs : kLoneNs));
  for (int sm = 0; sm < paired_sms; ++sm)
    traces.push_back(traced(lone_sms + paired_sms + sm, sm, 0, 1.2 * lone * kLoneNs));
  return traces;
}

// CTAs that share an SM: rates are 1, r, r f, r f² … by age, and whenever one has done its work another one
// begins. In steps of a ten-thousandth of a CTA's work.
std::vector<CtaTrace> full(int sms, int ctas_per_sm, double younger, double further) {
  constexpr double kStep = 1e-4;
  struct Running {
    int order;
    double begin;
    double left;
  };
  std::vector<CtaTrace> traces;
  for (int sm = 0; sm < sms; ++sm) {
    std::vector<Running> running;
    int started = 0;
    double time = 0;
    while (started < 2 * ctas_per_sm || !running.empty()) {
      while (static_cast<int>(running.size()) < ctas_per_sm && started < 2 * ctas_per_sm)
        running.push_back({started++, time, 1});
      time += kStep;
      double rate = 1;
      for (Running& each : running) {
        each.left -= kStep * rate;
        rate *= &each == &running.front() ? younger : further;
      }
      while (!running.empty() && running.front().left <= 0) {
        traces.push_back(
            traced(running.front().order * sms + sm, sm, running.front().begin * kLoneNs, time * kLoneNs));
        running.erase(running.begin());
      }
    }
  }
  return traces;
}

}  // namespace

TEST(TracedCtaRates, AreThoseOfTheTraces) {
  for (const int ctas_per_sm : {2, 3, 4}) {
    const TracedRates traced =
        cta_rates_of(some_pairs(99, 33, 1.4), full(3, ctas_per_sm, 0.97, 0.88), ctas_per_sm).value();
    EXPECT_EQ(traced.ctas_per_sm, ctas_per_sm);
    EXPECT_NEAR(traced.rates.younger, 0.97, 0.001) << ctas_per_sm;
    // Two have no further one.
    EXPECT_NEAR(traced.rates.further, ctas_per_sm > 2 ? 0.88 : 0.97, 0.002) << ctas_per_sm;
    EXPECT_NEAR(traced.rates.lone, 1.4, 1e-6) << ctas_per_sm;
  }
}

TEST(TracedCtaRates, AreMediansOfTheSms) {
  std::vector<CtaTrace> pairs = some_pairs(9, 9, 1.3);
  pairs.push_back(traced(100, 100, 0, 5 * kLoneNs));  // held up by something else
  pairs.push_back(traced(101, 101, 0, 3 * kLoneNs));
  pairs.push_back(traced(102, 101, 0, 9 * kLoneNs));
  std::vector<CtaTrace> all = full(5, 2, 0.9, 1);
  for (int cta = 0; cta < 4; ++cta) all.push_back(traced(1000 + cta, 100, 0, (1 + cta) * kLoneNs));
  const TracedRates found = cta_rates_of(pairs, all, 2).value();
  EXPECT_EQ(found.ctas_per_sm, 2);
  EXPECT_NEAR(found.rates.younger, 0.9, 0.001);
  EXPECT_NEAR(found.rates.lone, 1.3, 1e-6);
}

// The younger one may end first where neither is served first.
TEST(TracedCtaRates, OfCtasThatShareAlikeAreOne) {
  std::vector<CtaTrace> all;
  for (int cta = 0; cta < 4; ++cta) {
    const double begin = cta < 2 ? 0 : 1.1 * kLoneNs;
    all.push_back(traced(cta, 0, begin, begin + (cta % 2 == 0 ? 1 : 0.996) * kLoneNs));
  }
  EXPECT_EQ(cta_rates_of(some_pairs(9, 9, 1.3), all, 2).value().rates.younger, 1);
}

// The kernel may need less than what was reckoned with, or more.
TEST(TracedCtaRates, AreThoseOfAsManyAsTheReplayReckonsWith) {
  const TracedRates more = cta_rates_of(some_pairs(9, 9, 1.3), full(3, 5, 0.88, 0.9), 4).value();
  EXPECT_EQ(more.ctas_per_sm, 5);
  EXPECT_NEAR(more.rates.younger, 0.88, 0.001);
  EXPECT_NEAR(more.rates.further, 0.9, 0.002);
  const TracedRates fewer = cta_rates_of(some_pairs(9, 9, 1.3), full(3, 2, 0.88, 1), 3).value();
  EXPECT_EQ(fewer.ctas_per_sm, 2);
  EXPECT_NEAR(fewer.rates.younger, 0.88, 0.001);
}

// A GPU with less shared memory than the one that the tiles were described for.
TEST(TracedCtaRates, AreAbsentWhereAnSmHoldsOneAtATime) {
  EXPECT_FALSE(cta_rates_of(some_pairs(8, 8, 1.4), full(3, 1, 1, 1), 2));
  EXPECT_FALSE(cta_rates_of(some_pairs(8, 8, 1.4), full(3, 2, 0.9, 1), 1));
}

TEST(TracedCtaRates, RefuseWhatNoSchedulerGives) {
  const std::vector<CtaTrace> pairs = some_pairs(8, 8, 1.4);
  const std::vector<CtaTrace> all = full(2, 2, 0.9, 1);
  EXPECT_NO_THROW(cta_rates_of(pairs, all, 2));
  EXPECT_THROW(cta_rates_of({}, all, 2), std::runtime_error);
  EXPECT_THROW(cta_rates_of(pairs, {}, 2), std::runtime_error);
  EXPECT_THROW(cta_rates_of(some_pairs(0, 8, 1.4), all, 2), std::runtime_error);
  EXPECT_THROW(cta_rates_of(some_pairs(8, 0, 1.4), all, 2), std::runtime_error);
  EXPECT_THROW(cta_rates_of(pairs, some_pairs(0, 8, 1.4), 2),
               std::runtime_error);  // nobody took up more work
  EXPECT_THROW(cta_rates_of(pairs, full(2, 2, 0.2, 1), 2), std::runtime_error);
  EXPECT_THROW(cta_rates_of(pairs, full(2, 3, 0.9, 0.2), 3), std::runtime_error);
  EXPECT_THROW(cta_rates_of(some_pairs(8, 8, 3.2), all, 2), std::runtime_error);
  std::vector<CtaTrace> backwards = pairs;
  for (CtaTrace& trace : backwards) std::swap(trace.begin_ns, trace.end_ns);
  EXPECT_THROW(cta_rates_of(backwards, all, 2), std::runtime_error);
}

namespace {

// One CTA on each SM.
std::vector<CtaTrace> alone(int sms, double ns) {
  std::vector<CtaTrace> traces;
  for (int sm = 0; sm < sms; ++sm) traces.push_back(traced(sm, sm, 0, ns));
  return traces;
}

std::vector<CtaTrace> slower(std::vector<CtaTrace> traces, double by) {
  const std::uint64_t start = traces.front().begin_ns;
  const auto later = [&](std::uint64_t ns) {
    return start + static_cast<std::uint64_t>(by * static_cast<double>(ns - start));
  };
  for (CtaTrace& trace : traces) {
    trace.begin_ns = later(trace.begin_ns);
    trace.end_ns = later(trace.end_ns);
    trace.cycles = trace.end_ns - trace.begin_ns;
  }
  return traces;
}

}  // namespace

TEST(SharingRates, CompareCtasThatShareAnSmWithLoneOnesAndTheL2WithDram) {
  const std::vector<CtaTrace> all = full(3, 3, 0.95, 0.9);
  const TracedRates found =
      sharing_rates({.full = all,
                     .full_long = slower(all, 4),
                     .long_tiles = 16,
                     .full_hbm = {slower(all, 1.07), slower(all, 1.1), slower(all, 1.4)},
                     .alone = alone(16, kLoneNs / 1.7),
                     .alone_hbm = alone(120, 1.5 * kLoneNs / 1.7)},
                    3)
          .value();
  EXPECT_EQ(found.ctas_per_sm, 3);
  EXPECT_NEAR(found.rates.younger, 0.95, 0.001);
  EXPECT_NEAR(found.rates.further, 0.9, 0.002);
  EXPECT_NEAR(found.rates.lone, 1.7, 0.001);
  EXPECT_NEAR(found.rates.stall, 0.5, 0.001);
  EXPECT_NEAR(found.rates.shared_stall[0], 0.07, 0.001);
  EXPECT_NEAR(found.rates.shared_stall[1], 0.1, 0.001);
  EXPECT_NEAR(found.rates.shared_stall[2], 0.4, 0.001);
  EXPECT_NEAR(found.deviations.step, 0, 1e-6);
  EXPECT_NEAR(found.deviations.lone_sm, 0, 1e-6);
  EXPECT_NEAR(found.deviations.gpc_clock, 0, 1e-6);
}

// Of two GPCs one has a clock that is 0.4 % slower: its CTAs take longer, but no more cycles. Half of all
// CTAs take 2 % more of these than the others; each takes 100 tiles.
TEST(SharingRates, TellStepsFromClocks) {
  std::vector<CtaTrace> all = full(4, 2, 0.95, 1);
  const auto lengthened = [&](double by) {
    std::vector<CtaTrace> traces = slower(all, by);
    for (CtaTrace& trace : traces) {
      const double times = trace.sm < 2 ? 0.99 : 1.01;
      trace.cycles = static_cast<std::uint64_t>(std::round(times * static_cast<double>(trace.cycles)));
      trace.end_ns = trace.begin_ns + trace.cycles;
      if (trace.sm % 2 == 1) trace.end_ns += trace.cycles / 250;
    }
    return traces;
  };
  const TracedRates found = sharing_rates({.full = lengthened(1),
                                           .full_long = lengthened(4),
                                           .long_tiles = 100,
                                           .full_hbm = {lengthened(1.05), lengthened(1.05), lengthened(1.05)},
                                           .alone = alone(4, kLoneNs / 1.5),
                                           .alone_hbm = alone(4, kLoneNs / 1.5)},
                                          2)
                                .value();
  EXPECT_NEAR(found.deviations.step, 0.1, 0.001);
  EXPECT_NEAR(found.deviations.gpc_clock, 0.002, 1e-5);
  EXPECT_NEAR(found.rates.shared_stall[0], 0.05, 0.001);
}

TEST(SharingRates, RefuseWhatNoKernelTakes) {
  const std::vector<CtaTrace> all = full(3, 2, 0.95, 1);
  SharingTraces traces{.full = all,
                       .full_long = all,
                       .full_hbm = {slower(all, 0.99), slower(all, 0.99), slower(all, 1.2)},
                       .alone = alone(16, kLoneNs / 1.7),
                       .alone_hbm = alone(16, kLoneNs)};
  const SharedStalls stalls = sharing_rates(traces, 2).value().rates.shared_stall;
  EXPECT_GT(stalls[0], 0);  // as exact as clocks are: next to nothing, and no less
  EXPECT_LT(stalls[0], 0.001);
  EXPECT_NEAR(stalls[2], 0.2, 0.001);
  EXPECT_FALSE(sharing_rates(traces, 1));
  traces.full_hbm[1] = slower(all, 0.8);
  EXPECT_THROW(sharing_rates(traces, 2), std::runtime_error);
  traces.full_hbm[1] = {};
  EXPECT_THROW(sharing_rates(traces, 2), std::runtime_error);
  traces.full_hbm[1] = all;
  traces.alone = {};
  EXPECT_THROW(sharing_rates(traces, 2), std::runtime_error);
  traces.alone = alone(16, kLoneNs / 4);
  EXPECT_THROW(sharing_rates(traces, 2), std::runtime_error);
}

// Of flash1 in tiles of 128 rows, d = 64: 3 us for 128 rows and 64 keys, 3.6 from DRAM, 5.1 with two on an
// SM.
TEST(WaitingRates, SayWhatALoneCtaLosesForEachByteFromDram) {
  const CtaRates rates = waiting_rates({.younger = 0.98, .further = 0.97},
                                       {.older_of_two = 5.1, .alone = 3, .alone_hbm = 3.6}, 0.6);
  EXPECT_EQ(rates.younger, 0.98);
  EXPECT_EQ(rates.further, 0.97);
  EXPECT_NEAR(rates.lone, 1.7, 1e-9);
  EXPECT_NEAR(rates.stall, 1.0 / 3, 1e-9);
  EXPECT_FALSE(rates.quiet_stall.has_value());
  EXPECT_EQ(waiting_rates({}, {.older_of_two = 5, .alone = 3, .alone_hbm = 2.99}, 0.6).stall, 0);
  const RowKeyTimes told_apart{.older_of_two = 5, .alone = 3, .alone_hbm = 3.6, .alone_hbm_quiet = 3.3};
  EXPECT_NEAR(waiting_rates({}, told_apart, 0.6).quiet_stall.value(), 1.0 / 6, 1e-9);
  EXPECT_THROW(waiting_rates({}, {.older_of_two = 5, .alone = 3, .alone_hbm = 2}, 0.6), std::runtime_error);
  EXPECT_THROW(waiting_rates({}, {.older_of_two = 9.1, .alone = 3, .alone_hbm = 3}, 0.6), std::runtime_error);
  EXPECT_THROW(waiting_rates({}, {.older_of_two = 5, .alone = 0, .alone_hbm = 3}, 0.6), std::runtime_error);
}

TEST(WaitingRates, TakeLoneCtasAndTheOlderOnesOfPairs) {
  const std::vector<CtaTrace> traces = some_pairs(3, 2, 1.6);
  EXPECT_NEAR(lone_cycles(traces), kLoneNs, 1);
  EXPECT_NEAR(older_of_two_cycles(traces), 1.6 * kLoneNs, 1);
  EXPECT_EQ(older_of_two_cycles({}), 0);
}

}  // namespace hbmscope
