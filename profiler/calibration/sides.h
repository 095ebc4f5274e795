#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/calibration/latency.h"
#include "sim/gpu.h"

namespace hbmscope {

// On which side of the L2 each SM is, from the share of lines that are far from it after SM 0 had read them:
// none on SM 0's side (0), half of them on the other (1). Throws std::runtime_error for a share that is
// neither.
std::vector<int> sides_of(std::span<const double> far_shares);

// Which home lines have as a function of their address: the parity of some of its bits, or its complement.
struct HomeRule {
  std::vector<int> address_bits;
  std::size_t lines = 0;       // whose home was seen
  double share_explained = 0;  // of them
};

// The linear function over GF(2) that gets most lines right. home[i]: 1 or -1 for the side on which line i of
// consecutive ones is homed, 0 if it is not known; a power of two of them.
HomeRule home_rule(std::vector<int> home);

// "parity of address bits 12, 13, 15"; throws std::runtime_error for a rule that does not explain 99 % of the
// lines.
std::string text_of(const HomeRule& rule);

// How many sides keep a line that SMs of both have read, from where such lines are for an SM of either side.
// Throws std::runtime_error for shares that are neither both nor one.
int copies_of(const LineShares& seen_from_a, const LineShares& seen_from_b);

// Where a launch put its CTAs: the SM of each, in their order.
using SmOrder = std::vector<int>;

// Runs of neighbouring SMs in the order in which launches fill them. `full` is a launch of one CTA for each
// SM, `few` one of a fraction of them, which gets a first part of every run: TPCs are pairs of neighbours in
// `full`, and where `few` leaves some out, a run ends. The side of a run is that of most of its SMs. Throws
// std::runtime_error if `full` does not name every SM once.
std::vector<SmRun> sm_runs_of(const SmOrder& full, const SmOrder& few, std::span<const int> sides);

}  // namespace hbmscope
