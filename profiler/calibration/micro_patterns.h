#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu.h"
#include "sim/l2/ring_program.h"

namespace hbmscope {

// One thing that is done to an L2 and counted: on the GPU by micro-kernels, in the replay by a program. From
// a clean and cold L2 the passes go over buffers of one size; the last one counts.
struct MicroPattern {
  std::string name;
  Bytes bytes = 0;  // of a buffer
  std::vector<RingPass> passes;

  int buffers() const;
  bool writes() const { return passes.back().operation == Operation::store; }
};

// Sizes around those at which an L2 of this capacity begins to miss: rings read by all SMs and by one,
// forwards and to and fro; a stream that is read again; written lines, alone and while others come in.
std::vector<MicroPattern> micro_patterns(const GpuSpec& gpu);

// What DRAM was asked for by one of them, at several placements.
struct PatternBytes {
  double least = 0;
  double median = 0;
  double most = 0;
};
PatternBytes pattern_bytes(std::vector<double> placements);

// Bytes that DRAM reads in the last pass of a pattern, or is written in it where it writes.
PatternBytes replay_pattern(const MicroPattern& pattern, const GpuSpec& gpu);

// A pattern counted and replayed, as a line of a table or of a CSV file says it.
struct PatternRow {
  MicroPattern pattern;
  PatternBytes counted;
  std::optional<double> written_later;  // of a pattern that writes: by a sweep afterwards, the median
  PatternBytes replayed;

  // Replayed over counted, less 1: of the medians, and of the nearest ends where the two do not overlap.
  double error() const { return replayed.median / counted.median - 1; }
  double distance() const;

  // Placements overlap, or the medians are within 5 % or 1 MB.
  bool is_reproduced() const;
};

}  // namespace hbmscope
