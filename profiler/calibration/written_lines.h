#pragma once

#include <optional>
#include <span>

namespace hbmscope {

// A buffer that all SMs wrote once, into a clean L2, and what DRAM was written: meanwhile, and by a sweep of
// reads afterwards.
struct WrittenBuffer {
  double bytes = 0;
  double written_meanwhile = 0;
  double written_later = 0;
};

// Which share of the L2 stays dirty when more than that is written. Throws std::runtime_error if no buffer is
// large enough to say, if DRAM was not written what SMs wrote, or if buffers disagree by more than a tenth.
double dirty_share_of(std::span<const WrittenBuffer> buffers, double capacity_bytes);

// A ring that all SMs read `rounds` times from a cold L2.
struct CountedRing {
  double bytes = 0;
  int rounds = 1;
  double dram_read = 0;
};

// The size at which half of the lines are missed in every round but the first, between two rings, which are
// in ascending order. Absent if they do not enclose it.
std::optional<double> knee_of(std::span<const CountedRing> rings);

}  // namespace hbmscope
