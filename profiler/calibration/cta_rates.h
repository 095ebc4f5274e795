#pragma once

#include <cstdint>
#include <optional>
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

struct TracedRates {
  int ctas_per_sm = 0;  // that an SM held at once
  CtaRates rates;
};

// From the traces of two launches of equal CTAs, which start in the order of their numbers; the one with the
// lower number is the older one. `some_pairs`: one CTA on each SM, and a second one on some. `full`: more
// than the GPU holds at once; an SM may hold more than `ctas_per_sm`, with which the replay reckons and whose
// rates these are, or fewer. Absent where it holds one at a time. Throws std::runtime_error where no SM had a
// CTA, or two, to compare, and for rates that no scheduler gives.
std::optional<TracedRates> cta_rates_of(std::span<const CtaTrace> some_pairs, std::span<const CtaTrace> full,
                                        int ctas_per_sm);

// Rates of a kernel in a tile.
struct KernelRates {
  std::string kernel;
  int br = 0;
  int head_dim = 0;
  CtaRates rates;
};

}  // namespace hbmscope
