#include "profiler/calibration/cta_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hbmscope {
namespace {

constexpr int kPieces = 32;
constexpr double kStepNs = 10'000;  // of a piece of the older CTA's work

// A CTA that goes at `rate` until `turn_ns`, then at `later`.
CtaTrace traced(int cta, int sm, double start_ns, double rate, double turn_ns, double later) {
  CtaTrace trace{cta, sm, {}};
  for (int piece = 0; piece <= kPieces; ++piece) {
    const double undisturbed = start_ns + piece * kStepNs / rate;
    double time = undisturbed;
    if (undisturbed > turn_ns) {
      const double done = (turn_ns - start_ns) * rate / kStepNs;
      time = turn_ns + (piece - done) * kStepNs / later;
    }
    trace.times_ns.push_back(static_cast<std::uint64_t>(1e9 + time));
  }
  return trace;
}

std::vector<CtaTrace> sms_of(int sms, double younger, double lone) {
  std::vector<CtaTrace> traces;
  const double end = kPieces * kStepNs;
  for (int sm = 0; sm < sms; ++sm) {
    traces.push_back(traced(sms + sm, sm, 120, younger, end, lone));
    traces.push_back(traced(sm, sm, 0, 1, 1e12, 1));
  }
  return traces;
}

}  // namespace

TEST(CtaRates, AreThoseOfTheTraces) {
  const CtaRates rates = cta_rates_of(sms_of(8, 0.88, 1.4));
  EXPECT_NEAR(rates.younger, 0.88, 0.005);
  EXPECT_NEAR(rates.lone, 1.4, 0.02);
  EXPECT_EQ(rates.sms, 8);
}

TEST(CtaRates, AreMediansOfTheSms) {
  std::vector<CtaTrace> traces = sms_of(9, 0.9, 1.3);
  std::vector<CtaTrace> odd = sms_of(2, 0.4, 1.05);
  for (CtaTrace& trace : odd) trace.sm += 100;
  traces.insert(traces.end(), odd.begin(), odd.end());
  traces.push_back(traced(99, 200, 0, 1, 1e12, 1));  // alone on its SM
  const CtaRates rates = cta_rates_of(traces);
  EXPECT_NEAR(rates.younger, 0.9, 0.005);
  EXPECT_NEAR(rates.lone, 1.3, 0.02);
}

// When the older one has ended a third comes, to which the second is the older one.
TEST(CtaRates, ComeFromEveryPairOfAnSm) {
  constexpr double kYounger = 0.8;
  constexpr double kEnd = kPieces * kStepNs;
  std::vector<CtaTrace> traces{traced(0, 7, 0, 1, 1e12, 1), traced(1, 7, 0, kYounger, kEnd, 1)};
  const double second_end = kEnd + kPieces * kStepNs * (1 - kYounger);
  traces.push_back(traced(2, 7, kEnd, kYounger, second_end, 1.5));
  const CtaRates rates = cta_rates_of(traces);
  EXPECT_NEAR(rates.younger, kYounger, 0.005);
  EXPECT_NEAR(rates.lone, 1.5, 0.01);
  EXPECT_EQ(rates.sms, 1);
}

TEST(CtaRates, RefuseTracesInWhichNoneIsAlone) {
  EXPECT_THROW(cta_rates_of(std::vector{traced(0, 0, 0, 1, 1e12, 1), traced(1, 0, 0, 1, 1e12, 1)}),
               std::runtime_error);
}

TEST(CtaRates, RefuseWhatNoSchedulerGives) {
  EXPECT_THROW(cta_rates_of({}), std::runtime_error);
  EXPECT_THROW(cta_rates_of(sms_of(8, 0.2, 1.4)), std::runtime_error);
  EXPECT_THROW(cta_rates_of(sms_of(8, 0.9, 3)), std::runtime_error);
  EXPECT_THROW(cta_rates_of(sms_of(8, 1.2, 1.4)), std::runtime_error);
  std::vector<CtaTrace> backwards = sms_of(8, 0.9, 1.4);
  for (CtaTrace& trace : backwards) std::ranges::reverse(trace.times_ns);
  EXPECT_THROW(cta_rates_of(backwards), std::runtime_error);
}

}  // namespace hbmscope
