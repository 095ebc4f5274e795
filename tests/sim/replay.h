#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/loops.h"
#include "sim/program.h"
#include "sim/traffic.h"

// The counts of traffic.h again, the slow way: the stream of tile accesses, element by element.
namespace hbmscope::test {

// l2, io (no cache) and compulsory (infinite cache, one flag per element) of every launch and tensor;
// compulsory bytes stand at the base tensor. Throws std::out_of_range for an access outside its tensor.
void replay_traffic(const Program& program, Traffic& traffic);

// A compute's tile: whole as it is executed, or what is valid of it.
enum class Extents : std::uint8_t { whole, valid };
struct ComputedTile {
  Interval queries;
  Interval keys;
};

// Calls `visit` for every iteration of every compute, in the order of the stream; for valid extents those
// that hold anything.
void visit_computes(const Program& program, Extents extents,
                    const std::function<void(const Launch&, const Compute&, const ComputedTile&)>& visit);

// What all launches compute, summed over the iterations; useful FLOPs over visible pairs, tile by tile.
struct Arithmetic {
  std::uint64_t flops = 0;
  std::uint64_t executed_flops = 0;
  std::uint64_t exponentials = 0;
};
Arithmetic replay_arithmetic(const Program& program);

// What crosses the HBM boundary under a fully associative LRU cache of whole segments of rows, write-back,
// write-allocate without fetch, flushed at the end but for local memory, which nobody misses.
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
  std::vector<bool> segment_is_local_;
};

}  // namespace hbmscope::test
