#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/l2/timeline.h"
#include "sim/problem.h"
#include "sim/tile.h"

namespace hbmscope {

// 2 added kv_walk, 3 the bands of pred_hbm_*.
inline constexpr int kSchemaVersion = 3;

enum class Status : std::uint8_t { ok, skipped, failed };
enum class L2Mode : std::uint8_t { none, model, replay };
enum class CacheState : std::uint8_t { cold, warm };

// What was asked for: together these fields are the key of a record.
struct Point {
  std::string gpu;
  std::string algorithm;
  std::string variant;
  Problem problem;
  Tile tile;
  Order order = Order::q_fastest;
  Walk kv_walk = Walk::up;
  L2Mode l2_mode = L2Mode::model;
  CacheState cache_state = CacheState::cold;
  std::int64_t placement = 0;
  std::int64_t seed = 1;
};

// What the model says. Bytes are totals of the whole program; read and write as seen from the processor.
struct Prediction {
  std::uint64_t hbm_read_bytes = 0;
  std::uint64_t hbm_write_bytes = 0;
  // Where 90 % of placements fall; absent where the L2 mode knows no placements.
  std::optional<std::uint64_t> hbm_read_bytes_p05;
  std::optional<std::uint64_t> hbm_read_bytes_p95;
  std::optional<std::uint64_t> hbm_write_bytes_p05;
  std::optional<std::uint64_t> hbm_write_bytes_p95;
  std::uint64_t l2_read_bytes = 0;
  std::uint64_t l2_write_bytes = 0;
  std::optional<std::uint64_t> sram_read_bytes;  // absent where a variant describes no instructions
  std::optional<std::uint64_t> sram_write_bytes;
  std::uint64_t io_bytes = 0;
  std::uint64_t compulsory_bytes = 0;
  std::uint64_t footprint_bytes = 0;
  std::uint64_t flops = 0;
  std::uint64_t executed_flops = 0;
  double time_s = 0;    // lower bound: the largest of the roofs' times, launch by launch
  std::string limiter;  // the roof that binds longest: hbm, l2, sram, tensor, exp
};

// What the counters said. Each counter that could not be read is absent.
struct Measurement {
  std::optional<std::uint64_t> hbm_read_bytes;
  std::optional<std::uint64_t> hbm_write_bytes;           // within the range
  std::optional<std::uint64_t> hbm_deferred_write_bytes;  // written back by the sweep that follows
  std::optional<std::uint64_t> l2_read_bytes;
  std::optional<std::uint64_t> l2_write_bytes;
  std::optional<std::uint64_t> sram_read_bytes;
  std::optional<std::uint64_t> sram_write_bytes;
  std::optional<std::uint64_t> local_bytes;  // spills: L1 <-> registers
  std::optional<double> time_s;
  std::optional<double> time_spread;  // (max - min) / median over the repeats
  std::optional<double> max_error;    // worst head's max|O - ref| / max|ref|
};

// Where a measurement comes from.
struct Provenance {
  std::string source;  // "live", "recorded", or empty without a measurement
  std::string gpu;     // as the driver names it
  std::string driver;
  std::string cuda;
  std::string date;
  std::string hbmscope;  // version and commit that measured
  std::optional<std::int64_t> sm_clock_mhz_before;
  std::optional<std::int64_t> sm_clock_mhz_after;
  std::optional<std::int64_t> memory_clock_mhz;
  std::optional<std::int64_t> passes;
  std::optional<std::int64_t> repeats;
  std::optional<double> hbm_spread;  // (max - min) / median of hbm_read_bytes over the repeats
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> spill_bytes;  // per thread, largest of the program's kernels
  bool stale = false;                       // recorded with another kernel than today's
  std::string note;                         // why a counter is absent; what a prediction takes over unseen
};

enum class Boundary : std::uint8_t { hbm, l2, sram };

// Bytes of one tensor in one launch at one boundary.
struct TrafficRow {
  std::string launch;
  std::string tensor;
  Boundary boundary = Boundary::l2;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  // At l2 only, whose accesses these are: what they would move if each went to HBM.
  std::optional<std::uint64_t> io_read_bytes;
  std::optional<std::uint64_t> io_write_bytes;

  bool operator==(const TrafficRow&) const = default;
};

// One launch of the program: what its kernel needs, how it fills the GPU, and its arithmetic. What describes
// a kernel is absent for a launch that describes none.
struct LaunchRow {
  std::string launch;
  std::optional<std::string> kernel;
  std::optional<std::int64_t> ctas;
  std::optional<std::int64_t> threads;       // per CTA
  std::optional<std::int64_t> shared_bytes;  // per CTA
  std::optional<std::int64_t> ctas_per_sm;   // resident at once
  std::optional<std::string> limited_by;     // what keeps more of them from residing
  std::optional<double> waves;               // absent if not even one CTA fits
  std::uint64_t flops = 0;
  std::uint64_t executed_flops = 0;
  std::uint64_t exponentials = 0;
  std::optional<double> time_s;        // lower bound of this launch
  std::optional<std::string> limiter;  // the roof that gives it

  bool operator==(const LaunchRow&) const = default;
};

// One roof over the launches of a program: absent where the GPU's rate or the demand is not known.
struct RoofRow {
  std::string roof;          // hbm, l2, sram, tensor, exp
  std::uint64_t demand = 0;  // bytes read + written, executed FLOPs, exponentials
  double rate_per_s = 0;     // of the GPU, in the same unit
  double time_s = 0;         // demand / rate: what the program takes if only this roof holds
  double binds_s = 0;        // the bounds of those launches that it limits

  bool operator==(const RoofRow&) const = default;
};

// Neighbours on an axis with one limiter.
struct LimiterStretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::string limiter;

  bool operator==(const LimiterStretch&) const = default;
};

// Which roof limits along one size, all others as in the point. Every one of first, first + step, … last was
// predicted; `counted` of them compare with the point (find_crossovers), and the stretches are of these.
struct CrossoverRow {
  std::string axis;  // as the option, without its dashes
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 0;
  std::int64_t counted = 0;
  std::vector<LimiterStretch> stretches;

  bool operator==(const CrossoverRow&) const = default;
};

// One point with all that is known of it: the only place where prediction and measurement meet.
struct Record {
  Point point;
  std::string kernel_hash;  // empty for a variant without kernels
  Status status = Status::ok;
  std::optional<bool> feasible;  // absent where there is nothing to run: no kernels, or counts beyond 64 bits
  std::string reason;
  std::optional<Prediction> prediction;
  std::optional<Measurement> measurement;
  Provenance provenance;
  std::vector<TrafficRow> traffic;       // in JSON only
  std::vector<LaunchRow> launches;       // in JSON only, as in the program
  std::vector<RoofRow> roofs;            // in JSON only
  std::vector<CrossoverRow> crossovers;  // in JSON only, of a few points
  std::vector<std::string> hbm_reasons;  // in JSON only: why io, compulsory and HBM bytes differ
  std::optional<Timeline> timeline;      // in JSON only, of chosen points: a replay over time
};

// predicted / measured - 1; absent unless both are there and the measured value is not zero. HBM writes are
// compared with the deferred ones included.
struct Errors {
  std::optional<double> hbm_read;
  std::optional<double> hbm_write;
  std::optional<double> l2_read;
  std::optional<double> l2_write;
  std::optional<double> sram_read;
  std::optional<double> sram_write;
  std::optional<double> time;
};
Errors errors_of(const Record& record);

// HBM writes with what a sweep brings out afterwards; absent unless both were read.
std::optional<std::uint64_t> total_hbm_write_bytes(const Measurement& measurement);

std::string_view to_string(Status status);
std::string_view to_string(Order order);
std::string_view to_string(Walk walk);
std::string_view to_string(L2Mode mode);
std::string_view to_string(CacheState state);
std::string_view to_string(Boundary boundary);
std::optional<Status> parse_status(std::string_view text);
std::optional<Order> parse_order(std::string_view text);
std::optional<Walk> parse_walk(std::string_view text);
std::optional<L2Mode> parse_l2_mode(std::string_view text);
std::optional<CacheState> parse_cache_state(std::string_view text);
std::optional<Boundary> parse_boundary(std::string_view text);

}  // namespace hbmscope
