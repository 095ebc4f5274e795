#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/gpu.h"

namespace hbmscope {

// When a CTA began and ended, by a clock that all SMs share.
struct CtaTrace {
  int cta = 0;
  int sm = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

// From the traces of two launches of equal CTAs, which start in the order of their numbers; the one with the
// lower number is the older one. `some_pairs`: one CTA on each SM, and a second one on some. `full`: at least
// twice as many as the GPU holds, `ctas_per_sm` on each SM. Throws std::runtime_error where SMs do not hold
// so many, or for rates that no scheduler gives.
CtaRates cta_rates_of(std::span<const CtaTrace> some_pairs, std::span<const CtaTrace> full, int ctas_per_sm);

// Rates of a kernel in a tile.
struct KernelRates {
  std::string kernel;
  int br = 0;
  int head_dim = 0;
  CtaRates rates;
};

}  // namespace hbmscope
