#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace hbmscope {

// The keys of a K/V tile and the ring slots with which rates are measured; flash2's with larger tiles, too.
inline constexpr int kMeasuredBc = 64;
inline constexpr int kMeasuredStages = 1;

// Of the SMs, those on which CTAs load where DRAM is not busy.
inline constexpr double kQuietShare = 0.125;

// Of the bytes that full SMs load, those that come from DRAM where their stalls are measured: of eight CTAs
// one is the first to need them, of two, each.
inline constexpr std::array<double, 3> kStallShares{0.125, 0.5, 1};
using SharedStalls = std::array<double, kStallShares.size()>;

// How fast CTAs of a kernel go that share an SM. Times are in those that the oldest of as many as an SM holds
// takes for the same bytes: docs/l2_replay.md, "Time".
struct CtaRates {
  double younger = 1;  // the second oldest, relative to the oldest: schedulers serve that first
  double further = 1;  // each further one, relative to the one before it
  double lone = 1;     // one that has the SM to itself, relative to the oldest of as many as the SM holds
  // What one that has the SM to itself loses while a byte comes from DRAM rather than the L2, in bytes that
  // it would have moved meanwhile, where CTAs on all SMs load, and where those on kQuietShare
  // of them do; absent: the same.
  double stall = 0;
  std::optional<double> quiet_stall;
  // The same of the oldest of as many as an SM holds, at each of kStallShares.
  SharedStalls shared_stall{};
  std::int64_t ctas_per_sm = 2;  // as many as an SM held when they were measured
  double tiles = 1;              // K/V tiles of a launch, in measured ones
  double stages = 1;             // ring slots that it has for each one that was measured

  // Of a CTA with so many older ones beside it, relative to the oldest.
  double with_older(int older) const;

  // The same where CTAs walk the same K and V and the oldest wait for what they are the first to need: those
  // that are slower by less than that keep in step.
  double in_step(int older) const;

  // A lone one's, with CTAs on such a share of the SMs: DRAM answers the later the more ask it.
  double stall_beside(double busy_share) const;

  // Of one of so many on an SM, relative to the oldest of ctas_per_sm.
  double speed(int residents, int older) const;

  // shared_stall where DRAM serves such a share of what a full GPU would load.
  double shared_stall_beside(double hbm_share) const;

  // What such a CTA loses while a byte comes from DRAM, in the bytes that the oldest of ctas_per_sm would
  // have moved meanwhile; `shared`: what that one loses.
  double stall_of(int residents, int older, double shared) const;

  // By how much it is faster while one of the older ones waits, relative to the oldest of ctas_per_sm.
  double gain(int residents, int older) const;
};

}  // namespace hbmscope
