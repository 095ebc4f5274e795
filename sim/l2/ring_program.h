#pragma once

#include <cstdint>
#include <span>

#include "sim/program.h"
#include "sim/units.h"

namespace hbmscope {

// The access patterns with which an L2 is measured, as programs: what a micro-kernel does and what its replay
// does come from one description. Buffers are runs of lines without meaning; a pass is one launch.

// Who touches what of a buffer.
enum class RingShare : std::uint8_t {
  all,   // every CTA touches every line
  part,  // each tile is touched by one CTA: tile t by CTA t mod CTAs
};

// One launch over one buffer or several, `rounds` times from end to end. Several are touched side by side, a
// tile of each in turn: pieces of a ring that lie apart.
struct RingPass {
  int first_buffer = 0;
  int buffers = 1;  // of one size; at most kMostRingBuffers
  Operation operation = Operation::load;
  int copies_to = kNone;  // the buffer to which each tile that is loaded is stored; of a pass over one buffer
  RingShare share = RingShare::all;
  std::int64_t ctas = 1;  // one on each SM, as far as there are SMs
  std::int64_t rounds = 1;
  Walk walk = Walk::up;  // alternating: every second round goes from the end to the beginning
};

inline constexpr int kMostRingBuffers = 16;
inline constexpr Bytes kRingLineBytes = 128;
inline constexpr Bytes kRingTileBytes = 16 * kKiB;

// Overwrites `program`. Buffers are whole tiles in size; each is a tensor, each pass a launch, in their
// order. Throws std::logic_error for buffers that a pass names and that do not exist, for copies of several
// buffers or between different sizes, and for sizes that are not whole tiles.
void build_ring_program(std::span<const Bytes> buffers, std::span<const RingPass> passes, Program& program);

}  // namespace hbmscope
