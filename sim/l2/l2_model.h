#pragma once

#include <optional>

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/record.h"
#include "sim/stop.h"
#include "sim/traffic.h"

namespace hbmscope {

// What DRAM will be asked for in one launch.
struct LaunchHbmTraffic {
  FixedList<ReadWrite, kMaxTensors> tensors;  // as in Program::tensors
  ReadWrite total;
};

// Between which bytes 90 % of placements of the tensors are expected to fall, what is not known of how much
// the L2 keeps included: near its size traffic depends on addresses.
struct HbmBand {
  ReadWrite p05;
  ReadWrite p95;
};

// What DRAM will be asked for by a program: bytes of every tensor in every launch, and their sums.
struct HbmTraffic {
  FixedList<LaunchHbmTraffic, kMaxLaunches> launches;  // as in Program::launches
  ReadWrite total;
  std::optional<HbmBand> band;        // of the total; absent where the mode knows no placements
  std::optional<std::uint64_t> seed;  // of the placement whose bytes these are, likewise
  // Of total.write, what is written back after the last launch; absent where the mode does not know.
  std::optional<std::uint64_t> written_later;
};

// Sums what the tensors move, by launch and in all. Throws CountOverflow for what exceeds 64 bits.
void add_up(HbmTraffic& hbm);

// How many blocks cross L2 and SMs, about: what the time of a replay grows with.
std::uint64_t replayed_blocks(const Program& program, const Traffic& traffic);

// The seam between the closed forms and the L2: every mode answers the same question. L2Mode::none takes the
// compulsory bytes, an L2 without limits, and allocates nothing; L2Mode::replay runs every tile access
// through the caches (sim/l2/replay.h). Overwrites `hbm`. Throws UserError (--l2) for
// a mode that is not built in, PointError (--l2) for a program that is too large to replay, and for sums that
// exceed 64 bits, and Stopped soon after the flag is set.
void hbm_traffic(const Program& program, const Traffic& traffic, const GpuSpec& gpu, L2Mode mode,
                 HbmTraffic& hbm, StopFlag stop = nullptr);

}  // namespace hbmscope
