#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/gpu.h"

namespace hbmscope {

// When a CTA began and ended, by a clock that all SMs share, and how many cycles of its SM it took: GPCs have
// clocks of their own, which differ by up to a percent, and as much from one launch to the next.
struct CtaTrace {
  int cta = 0;
  int sm = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t cycles = 0;
};

// Each as a share of what deviates, among SMs.
struct SmDeviations {
  double step = 0;       // of what the oldest CTAs take for one K/V tile after the other
  double lone_sm = 0;    // of what CTAs alone on their SMs take
  double gpc_clock = 0;  // of clocks, during one launch
};

struct TracedRates {
  int ctas_per_sm = 0;  // that an SM held at once
  CtaRates rates;
  SmDeviations deviations;  // of a kernel that asks for its tiles before it needs them
};

// From the traces of two launches of equal CTAs, which start in the order of their numbers; the one with the
// lower number is the older one. `some_pairs`: one CTA on each SM, and a second one on some. `full`: more
// than the GPU holds at once; an SM may hold more than `ctas_per_sm`, with which the replay reckons and whose
// rates these are, or fewer. Absent where it holds one at a time. Throws std::runtime_error where no SM had a
// CTA, or two, to compare, and for rates that no scheduler gives.
std::optional<TracedRates> cta_rates_of(std::span<const CtaTrace> some_pairs, std::span<const CtaTrace> full,
                                        int ctas_per_sm);

// Traces of launches of equal CTAs of a kernel that asks for its tiles before it needs them: in waves that
// fill the GPU, and alone on their SMs; with all that they read in the L2, and from DRAM.
struct SharingTraces {
  std::vector<CtaTrace> full;
  std::vector<CtaTrace> full_long;  // for so long that it does not matter when a CTA gets its first tile
  double long_tiles = 1;            // that each CTA takes there
  std::array<std::vector<CtaTrace>, kStallShares.size()> full_hbm;  // at each of kStallShares
  std::vector<CtaTrace> alone;
  std::vector<CtaTrace> alone_hbm;
};

// As cta_rates_of, with the stalls and deviations. In cycles.
std::optional<TracedRates> sharing_rates(const SharingTraces& traces, int ctas_per_sm);

// How long a CTA takes for one row of Q and one key, in cycles of its SM: clocks differ between launches.
struct RowKeyTimes {
  double older_of_two = 0;                // on its SM
  double alone = 0;                       // on its SM, with all that it moves in the L2
  double alone_hbm = 0;                   // the same, with all that it loads from DRAM
  std::optional<double> alone_hbm_quiet;  // the same, where few others load; absent: not told apart
};

// Of a kernel whose CTAs wait for each tile: `read_share` of the bytes that they move are loaded. Two that
// share an SM hide what either waits for. Throws std::runtime_error for times that no kernel takes.
// `rates`: of its pairs.
CtaRates waiting_rates(CtaRates rates, const RowKeyTimes& times, double read_share);

// The median cycles of the older CTAs of SMs with two, and of the CTAs of SMs with one; 0 without any.
double older_of_two_cycles(std::span<const CtaTrace> traces);
double lone_cycles(std::span<const CtaTrace> traces);

// Rates of one build of a kernel in a tile.
struct KernelRates {
  std::string kernel;
  int br = 0;
  int head_dim = 0;
  BuildCtaRates build;
  SmDeviations deviations;  // as in TracedRates
};

}  // namespace hbmscope
