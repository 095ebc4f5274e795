#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hbmscope {

struct GpuSpec;
struct Program;
struct Traffic;

// One of the equal steps of a launch.
struct TimelineStep {
  // Bytes read by SMs during the step, by where they were found: in the L2 on their own side, at the line's
  // home, or in DRAM; and bytes that SMs wrote.
  std::uint64_t near_bytes = 0;
  std::uint64_t home_bytes = 0;
  std::uint64_t dram_bytes = 0;
  std::uint64_t written_bytes = 0;
  // At its end. Live is what was read or written and will be read again by the program: the capacity that
  // would let every byte come from DRAM once.
  std::uint64_t live_bytes = 0;
  std::uint64_t live_cached_bytes = 0;  // of these, what any cache holds
  std::uint64_t cached_bytes = 0;       // distinct bytes that any cache holds, live or not
  std::uint64_t heads = 0;              // that the CTAs in flight read; 0 where nothing is read again

  bool operator==(const TimelineStep&) const = default;
};

struct LaunchTimeline {
  std::string launch;
  std::uint64_t accesses = 0;  // tile accesses: the steps have equal shares of them
  std::vector<TimelineStep> steps;

  bool operator==(const LaunchTimeline&) const = default;
};

// A replay over time, at one placement of the tensors.
struct Timeline {
  std::uint64_t seed = 0;  // that draws the placement
  std::uint64_t hbm_read_bytes = 0;
  std::uint64_t hbm_write_bytes = 0;
  std::uint64_t effective_bytes = 0;  // what the caches hold of bytes that all SMs read
  std::vector<LaunchTimeline> launches;

  bool operator==(const Timeline&) const = default;
};

// Steps of all launches together, about: each launch has as many of them as of the accesses, and at least
// kFewestLaunchSteps if it has so many accesses.
inline constexpr std::uint64_t kTimelineSteps = 160;
inline constexpr std::uint64_t kFewestLaunchSteps = 8;

// Replays a program twice, first to see when each block is read for the last time. `traffic` are the
// program's counts. Throws as replay() does.
Timeline replay_timeline(const Program& program, const Traffic& traffic, const GpuSpec& gpu,
                         std::uint64_t seed);

}  // namespace hbmscope
