#pragma once

#include <cstdint>
#include <vector>

#include "sim/program.h"
#include "sim/traffic.h"

// The counts of traffic.h again, the slow way: the stream of tile accesses, element by element.
namespace hbmscope::test {

// l2, io (no cache) and compulsory (infinite cache, one flag per element) of every launch and tensor;
// compulsory bytes stand at the base tensor. Throws std::out_of_range for an access outside its tensor.
void replay_traffic(const Program& program, Traffic& traffic);

// Useful FLOPs of all launches: every iteration of every matmul, its visible pairs counted tile by tile.
std::uint64_t replay_flops(const Program& program);

// What crosses the HBM boundary under a fully associative LRU cache of whole segments of rows, write-back,
// write-allocate without fetch, flushed at the end.
struct LruTraffic {
  std::uint64_t load_bytes = 0;    // fetched for loads
  std::uint64_t reduce_bytes = 0;  // fetched for atomic adds
  std::uint64_t write_bytes = 0;   // written back
};

// The stream cut into segments of rows, ready to replay through caches of many sizes.
class SegmentStream {
 public:
  explicit SegmentStream(const Program& program);
  LruTraffic replay(std::uint64_t capacity_bytes) const;
  std::uint64_t distinct_bytes() const;

 private:
  struct Touch {
    std::uint32_t segment;
    Operation operation;
  };
  std::vector<Touch> touches_;
  std::vector<std::uint64_t> segment_bytes_;
};

}  // namespace hbmscope::test
