#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hbmscope {

// When a CTA had taken 0, n, 2n, … steps of the same work, by a clock that all SMs share.
struct CtaTrace {
  int cta = 0;
  int sm = 0;
  std::vector<std::uint64_t> times_ns;
};

// Relative to the older one of the two CTAs of an SM, while both are there.
struct CtaRates {
  double younger = 0;  // the younger one, meanwhile
  double lone = 0;     // one that is alone on its SM
  int sms = 0;         // that these are medians of
};

// From the traces of a launch that puts at most two CTAs on an SM at a time. CTAs start in the order of their
// numbers, so the older one is the one with the lower number. Throws std::runtime_error if no SM has two
// CTAs, if none is ever alone, or for rates that no scheduler gives.
CtaRates cta_rates_of(std::span<const CtaTrace> traces);

}  // namespace hbmscope
