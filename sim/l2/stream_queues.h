#pragma once

#include <algorithm>
#include <optional>

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/stream.h"
#include "sim/traffic.h"

namespace hbmscope {

// What an access asked DRAM for.
struct HbmBytes {
  Bytes fetched = 0;
  Bytes written_back = 0;  // to make room, or because too much was dirty
};

// Where a launch does nothing but move bytes, its CTAs wait for the L2 and for DRAM. Each serves one byte
// after another, and what was asked for comes its latency later: CTAs that find theirs in the L2 run ahead of
// those that wait behind all that DRAM was asked for before, write-backs included. Times are in seconds.
struct StreamQueues {
  double l2_bytes_per_s = 0;
  double hbm_bytes_per_s = 0;
  double l2_latency_s = 0;
  double hbm_latency_s = 0;
  double l2_free_s = 0;  // when all that was asked for is served
  double hbm_free_s = 0;

  // When an access that begins now is over. Nobody waits for what it has written back, nor for a store to be
  // answered.
  double end_of(double now_s, const TileAccess& access, const HbmBytes& hbm) {
    const Bytes bytes = access.bytes();
    l2_free_s = std::max(l2_free_s, now_s) + static_cast<double>(bytes) / l2_bytes_per_s;
    if (hbm.fetched + hbm.written_back > 0) {
      hbm_free_s =
          std::max(hbm_free_s, now_s) + static_cast<double>(hbm.fetched + hbm.written_back) / hbm_bytes_per_s;
    }
    if (access.operation == Operation::store) return l2_free_s;
    const double from_l2_s = l2_free_s + l2_latency_s;
    return hbm.fetched > 0 ? std::max(from_l2_s, hbm_free_s + hbm_latency_s) : from_l2_s;
  }
};

// None for a launch with products, for one of which it is not known that it keeps up with memory, and on a
// GPU whose L2 rate is not known. `traffic` is the program's.
std::optional<StreamQueues> stream_queues(const Program& program, const Traffic& traffic, int launch,
                                          const GpuSpec& gpu);

}  // namespace hbmscope
