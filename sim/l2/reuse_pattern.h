#pragma once

#include <array>
#include <cstddef>

#include "sim/fixed_list.h"
#include "sim/gpu.h"
#include "sim/l2/effective_cache.h"
#include "sim/loops.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace hbmscope {

// Grid loops as sharing sees them: whether another index means other bytes. Neighbours of a kind are one.
struct GridFactor {
  double trips = 1;
  bool other_bytes = false;
};

// A part of a CTA's life, in shares of the bytes that it moves.
struct LifeSpan {
  double from = 1;
  double to = 0;
};

// How a launch uses one tensor, its views included. Bytes are those that cross the boundary between L2 and
// SMs.
struct TensorReuse {
  int tensor = kNone;  // never a view
  bool local = false;  // every slot has a piece of its own
  double read = 0;     // an atomic add reads and writes
  double written = 0;
  double unique = 0;     // distinct bytes; of a local tensor one slot's
  double repeats = 1;    // how often a CTA comes back to the same byte
  double per_round = 0;  // bytes of one CTA in one round of the loop that makes it come back
  LifeSpan life;         // when a CTA touches it
  FixedList<GridFactor, std::size_t{2} * kMaxLoops> grid;  // fastest first

  // Derived from the grid. A plane is what the CTAs of one combination of the other_bytes factors share, as
  // often as they come to it: `turns` times where slower loops bring them back after all slots were filled
  // anew.
  double planes = 1;
  double plane_bytes = 0;
  double walked_bytes = 0;  // of one CTA, each byte once
  double sharers = 1;       // CTAs, one on each SM, for each plane that they touch
  double on_a_side = 1;     // bytes that a side holds of each of its bytes
  double turns = 1;
  bool shared = false;

  double visited() const { return std::max(read, written); }
};

// The grid loop that the lengths of CTAs depend on: q tiles under a mask.
struct UnevenLengths {
  bool fastest = false;   // neighbours in the grid differ in length
  bool windowed = false;  // both ends move: lengths are the same, places differ
  bool longest_first = false;
  double trips = 1;
  double stride = 1;  // items from one index to the next
};

// Of the rounds of a loop, for sums over their lengths.
inline constexpr std::size_t kRoundParts = 8;

// How the CTAs of a launch move through its tensors.
struct ReusePattern {
  FixedList<TensorReuse, kMaxTensors> tensors;
  double items = 1;
  double slots = 1;  // CTAs in flight
  double sms = 1;    // that hold them
  CtaRates rates;
  double first_side = 0.5;     // share of CTAs in flight on the side that is filled first
  int repeating_loop = kNone;  // of the body: each round comes back to bytes of the one before
  // How long rounds are at equal steps of the loop around them, relative to the middle one: under a causal
  // mask, with K and V outside, they differ.
  std::array<double, kRoundParts> round_lengths{};
  bool uneven = false;
  UnevenLengths lengths;  // where they are
  Walk walk = Walk::up;   // of the innermost loop whose direction matters

  double private_bytes() const;  // as a side holds them; without local memory
  double local_bytes() const;
};

// Whether items `stride` apart run one after the other, because every slot was filled anew between them.
inline bool comes_back_later(const ReusePattern& reuse, double stride) {
  return stride >= reuse.slots - reuse.sms / 2;  // rounded to whole cohorts
}

// How many planes `items` consecutive items touch, on average over where they begin.
double distinct_planes(const TensorReuse& tensor, double items);

// Overwrites `reuse`. Trip counts are those in the middle of the grid, the average for a causal mask.
void find_reuse(const Program& program, int launch, const Traffic& traffic, const GpuSpec& gpu,
                const EffectiveCache& cache, ReusePattern& reuse);

// Of find_reuse: what the body of the launch says, without how its CTAs fill the GPU.
void read_body(const Program& program, int launch, const Traffic& traffic, ReusePattern& reuse);

}  // namespace hbmscope
