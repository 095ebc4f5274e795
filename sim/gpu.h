#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cta_rates.h"
#include "sim/problem.h"
#include "sim/tile.h"

namespace hbmscope {

// A number with where it comes from.
struct SourcedValue {
  double value = 0;
  bool measured = false;  // false: a datasheet's or a programming guide's
  std::string source;     // which, or how and when it was measured
};

// One level of cache; a GPU lists them outermost last.
struct CacheLevel {
  std::string name;
  std::int64_t instances = 1;         // partitions or slices of their own
  std::int64_t sms_per_instance = 0;  // SMs that look up in one instance; 0 = every SM may use every one
  SourcedValue capacity_bytes;        // all instances together
  std::int64_t line_bytes = 128;
  std::int64_t sector_bytes = 32;
  std::string home_rule;     // which instance a line belongs to: "address hash", "sm"
  std::int64_t copies = 1;   // instances that may hold one line at once
  bool memory_side = false;  // caches DRAM rather than the SMs' requests
  // What the replay of an L2 asks for (sim/l2/l2_geometry.h); absent where nobody has measured it.
  std::string replacement;                    // "LRU"; what the replay does, whatever stands here
  std::optional<SourcedValue> ways;           // lines of a set
  std::optional<SourcedValue> reached_bytes;  // of the capacity: what lines of consecutive memory can fill
  std::optional<SourcedValue> stretch_bytes;  // consecutive memory that meets the sets of one group evenly
  // What each bit of the number of a run of stretches swaps (sim/l2/set_map.h); empty where nobody has
  // measured it.
  std::vector<std::int64_t> stretch_swaps;
  std::optional<SourcedValue> dirty_share;  // of the capacity: what is dirty beyond it is written back early
};

// Neighbouring SMs in the order in which a launch fills them, all on one side of the L2.
struct SmRun {
  std::int64_t sms = 0;
  std::int64_t side = 0;
};

// What benchmarks get out of a GPU, beside the rates that its makers publish; each absent where nobody has
// measured it. Bounds of the time are those of the published rates; the L2 replay reads the rate of copies
// and the latencies.
struct MeasuredRates {
  std::optional<SourcedValue> hbm_copy_bytes_per_s;  // read + write
  std::optional<SourcedValue> sram_bytes_per_clock_per_sm;
  std::optional<SourcedValue> exp_per_clock_per_sm;
  std::optional<SourcedValue> tensor_flops_per_clock_per_sm_bf16;  // by mma.sync, as the mma kernels issue it
  std::optional<SourcedValue> tensor_flops_per_clock_per_sm_fp16;
  std::optional<SourcedValue> l2_latency_clocks;  // of an SM, for a line that an SM of either side has loaded
  std::optional<SourcedValue> hbm_latency_clocks;  // for a line that nobody has loaded
  std::optional<SourcedValue> launch_ns;           // a kernel that does nothing, one after the other
  std::optional<SourcedValue> cta_start_skew_ns;   // between the first and the last CTA that start at once
};

// Limits of a multiprocessor and of a CTA, from the CUDA programming guide by compute capability.
struct SmLimits {
  std::int64_t threads_per_sm = 0;
  std::int64_t warps_per_sm = 0;
  std::int64_t ctas_per_sm = 0;
  std::int64_t threads_per_cta = 0;
  std::int64_t registers_per_sm = 0;
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t shared_bytes_per_cta = 0;
  std::int64_t shared_bytes_reserved = 0;  // per resident CTA
};

// Rates of one build of a kernel, by what it was compiled for; what is absent does not matter to them.
struct BuildCtaRates {
  std::optional<Mask> mask;
  std::optional<Order> order;
  std::optional<Walk> kv_walk;
  std::optional<std::int64_t> bc;  // of several, the nearest one's are taken
  CtaRates rates;
};

// Rates of a kernel in tiles of Br rows with this head dim.
struct KernelCtaRates {
  std::string kernel;  // as launches name it
  std::int64_t br = 0;
  std::int64_t head_dim = 0;
  std::string source;
  bool measured = false;
  std::vector<BuildCtaRates> builds;  // at least one; the first stands for those that are not there
};

// Of the rates of SMs of one clock, from their mean: no description has more.
inline constexpr double kLargestDeviation = 0.3;

// A GPU as data. Rates are per second and dense; FLOPs with fp32 accumulation.
struct GpuSpec {
  std::string name;       // as on the command line; a changed GPU's ends in its changes
  std::string full_name;  // as its driver names it
  std::string chip;       // as CUPTI names it; LLVM's target for a GPU that is not NVIDIA's
  std::optional<std::int64_t> compute_capability;  // 90 for 9.0; absent where CUDA does not run
  std::int64_t sms = 0;
  std::int64_t dies = 1;
  SourcedValue clock_hz;         // boost
  SourcedValue tensor_clock_hz;  // at which the datasheet states its tensor rate
  SourcedValue hbm_capacity_bytes;
  SourcedValue hbm_bytes_per_s;                          // the datasheet's
  std::optional<SourcedValue> hbm_bytes_per_s_measured;  // what a read benchmark gets out of it
  std::optional<SourcedValue> l2_bytes_per_s;            // absent where nobody has measured it
  SourcedValue sram_bytes_per_clock_per_sm;
  SourcedValue exp_per_clock_per_sm;
  // FLOP per clock and SM; absent where the tensor cores do not take the type.
  std::optional<SourcedValue> tensor_flops_bf16;
  std::optional<SourcedValue> tensor_flops_fp16;
  std::optional<SourcedValue> tensor_flops_fp8;
  std::optional<SourcedValue> tensor_flops_fp32;  // TF32 tensor cores, or plain FP32 where there are none
  // FLOP/s in fp16 as published, to check the rate per clock and the SMs against.
  std::optional<SourcedValue> tensor_flops_per_s_datasheet;
  std::vector<std::string> changes;  // "l2.capacity=100MiB", see sim/gpu_settings.h; empty: as described
  std::vector<CacheLevel> caches;    // one of them is named "L2"
  // The SMs in the order in which a launch fills them; empty where nobody has measured it.
  std::vector<SmRun> sm_runs;
  // The runs after the first are those of one GPU: on others of this name they begin with another of them.
  bool sm_runs_rotate = false;
  // CtaRates of kernels, and of all others. Absent where nobody has measured them.
  std::vector<KernelCtaRates> cta_rates;
  std::optional<SourcedValue> younger_cta_rate;
  std::optional<SourcedValue> lone_cta_rate;
  // Of the times that a CTA which shares its SM takes for one K/V tile after the other, as a share of them.
  std::optional<SourcedValue> shared_step_deviation;
  // Of what CTAs alone on their SMs take, as a share of it: SMs lie near what they load, or far from it.
  std::optional<SourcedValue> lone_sm_deviation;
  // Of the clocks of the GPCs during one launch, as a share of them: each has its own.
  std::optional<SourcedValue> gpc_clock_deviation;
  MeasuredRates measured;
  SmLimits limits;

  const CacheLevel& l2() const;
  double sram_bytes_per_s() const;
  double exp_per_s() const;
  std::optional<double> tensor_flops_per_s(DataType dtype) const;
};

// Names of the GPUs that come with hbmscope, sorted.
std::vector<std::string> gpu_names();

// A shipped GPU by name, a changed one ("h200+l2.capacity=100MiB+sms=160"), or a file by path (anything with
// a
// '/' or ending in .toml). Throws UserError naming --gpu, or file:line and key, the value, and what is
// accepted.
GpuSpec load_gpu(std::string_view name_or_file);

// Parses a description; `origin` names it in errors.
GpuSpec parse_gpu(std::string_view toml_text, std::string_view origin);

}  // namespace hbmscope
