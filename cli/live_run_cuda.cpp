#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/failure_guard.h"
#include "cli/live_run.h"
#include "cli/point_columns.h"
#include "cli/reference_cache.h"
#include "cli/version_text.h"
#include "kernels/attention_run.h"
#include "kernels/cuda/device.h"
#include "kernels/stored_scores.h"
#include "profiler/cupti_source.h"
#include "profiler/device_arena.h"
#include "profiler/gpu_state.h"
#include "profiler/nvtx.h"
#include "profiler/protocol.h"
#include "profiler/sweep.h"
#include "profiler/timing.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// The tensors of a point in GPU memory. Throws UserError if they do not fit.
struct PlacedTensors {
  DeviceArena arena;
  std::vector<DeviceAddress> addresses;

  PlacedTensors(const Device& device, const Program& program, const Point& point)
      : arena(device, arena_payload_bytes(tensor_bytes(program))),
        addresses(arena.place(tensor_bytes(program), static_cast<std::uint64_t>(point.seed),
                              static_cast<std::uint64_t>(point.placement))) {}
};

bool uses_library(const Program& program) {
  return std::ranges::any_of(program.launches,
                             [](const Launch& launch) { return launch.library_gemm.has_value(); });
}

void describe_kernels(const AttentionRun& run, Provenance& provenance) {
  std::int64_t registers = 0;
  std::int64_t spills = 0;
  for (const KernelResources& kernel : run.kernels()) {
    registers = std::max<std::int64_t>(registers, kernel.registers);
    spills = std::max<std::int64_t>(spills, kernel.spill_store_bytes + kernel.spill_load_bytes);
  }
  provenance.registers = registers;
  provenance.spill_bytes = spills;
}

}  // namespace

struct LiveRun::State {
  explicit State(CounterNeed counter_need) : need(counter_need), sweep(device), gpu_state(device) {
    gpu_name = device.name();
    if (need == CounterNeed::none) {
      counters_absence = "counters were not asked for (--counters none)";
      return;
    }
    try {
      counters.emplace(device);
    } catch (const UserError& error) {
      if (need == CounterNeed::needed) throw;
      counters_absence = error.what();
    }
  }

  void run_point(const Program& program, Record& record);
  void count(const MeasuredProgram& measured, Record& record);
  bool check_results(const Program& program, const PlacedTensors& tensors, const AttentionRun& run,
                     Record& record);
  std::string compare_from_scores(const Program& program, const PlacedTensors& tensors, Record& record);
  void start_provenance(Provenance& provenance) const;

  CounterNeed need;
  Device device;
  L2Sweep sweep;
  GpuState gpu_state;
  KernelCompiler compiler;
  std::optional<CuptiCounterSource> counters;
  std::string counters_absence;
  std::string gpu_name;
  RunInfo this_binary = this_run({});
  ReferenceCache references;
  FailureGuard guard;
};

LiveRun::LiveRun(CounterNeed need) {
  try {
    state_ = std::make_unique<State>(need);
  } catch (const DeviceError& error) {  // before any point, it is the environment that is at fault
    throw UserError("GPU", "", error.what());
  }
}
LiveRun::~LiveRun() = default;

const std::string& LiveRun::gpu_name() const { return state_->gpu_name; }

void LiveRun::describe(RunInfo& run) const {
  Provenance provenance;
  state_->start_provenance(provenance);
  run.gpu = provenance.gpu;
  run.driver = provenance.driver;
  run.cuda = provenance.cuda;
}

bool LiveRun::measure(const Program& program, Record& record) {
  const NvtxRange range(nvtx_name(describe_point(record.point)));
  return state_->guard.run(record, [&] { state_->run_point(program, record); });
}

void LiveRun::State::start_provenance(Provenance& provenance) const {
  provenance.source = "live";
  provenance.gpu = gpu_name;
  provenance.driver = gpu_state.driver_version().value_or("");
  provenance.cuda = cuda_version_text(driver_cuda_version());
  if (counters) provenance.cuda += ", " + cupti_text();
  provenance.date = this_run({}).date;
  provenance.hbmscope = this_binary.version;
  if (!this_binary.git_commit.empty()) provenance.hbmscope += " " + this_binary.git_commit;
}

void LiveRun::State::run_point(const Program& program, Record& record) {
  std::optional<AttentionRun> loaded;
  std::optional<PlacedTensors> tensors;
  try {
    loaded.emplace(program, compiler, device.compute_capability());
    tensors.emplace(device, program, record.point);
  } catch (const UserError& error) {
    // Without a compiler no point can run; without a library, or enough memory, this one cannot.
    if (!loaded && !uses_library(program)) throw;
    record.status = Status::skipped;
    record.reason = error.what();
    return;
  }
  AttentionRun& run = *loaded;
  record.kernel_hash = run.kernel_hash();
  run.bind(tensors->addresses);
  start_provenance(record.provenance);
  if (!run.library().empty()) record.provenance.cuda += ", " + run.library();
  describe_kernels(run, record.provenance);
  const GpuClocks before = gpu_state.clocks();
  record.provenance.sm_clock_mhz_before = before.sm_mhz;

  record.measurement.emplace();
  if (!check_results(program, *tensors, run, record)) return;
  const MeasuredProgram measured{.launches = [&] { run.launch(); }, .clean_l2 = [&] { sweep.run(); }};
  count(measured, record);
  const Timing timing = time_program(measured, record.point.cache_state);
  record.measurement->time_s = timing.median_s;
  record.measurement->time_spread = timing.spread;

  const GpuClocks after = gpu_state.clocks();
  record.provenance.sm_clock_mhz_after = after.sm_mhz;
  record.provenance.memory_clock_mhz = after.memory_mhz;
}

// Nothing is counted for a kernel that computes something else.
bool LiveRun::State::check_results(const Program& program, const PlacedTensors& tensors,
                                   const AttentionRun& run, Record& record) {
  const Point& point = record.point;
  upload_inputs(program, references.inputs(point.problem, point.seed), tensors.addresses);
  poison_outputs(program, tensors.addresses);
  run.launch();
  const Reference& reference =
      references.reference(point.problem, point.seed, scores_of(program), point.tile.br);
  const Comparison comparison = compare_outputs(program, reference, tensors.addresses);
  record.measurement->max_error = comparison.worst_error;
  std::string failure = comparison.failure(error_tolerance(point.problem.dtype));
  if (!failure.empty() && scores_of(program) == Scores::stored) {
    failure = compare_from_scores(program, tensors, record);
  }
  if (!failure.empty()) fail(record, "wrong result: " + failure);
  return failure.empty();
}

// A score near the middle of two 16-bit values may be stored as either, and a row that it dominates then
// differs from the reference by more than the tolerance. So the scores are held to their last bit, and the
// output to what follows from them.
std::string LiveRun::State::compare_from_scores(const Program& program, const PlacedTensors& tensors,
                                                Record& record) {
  const Point& point = record.point;
  const AttentionInputs& inputs = references.inputs(point.problem, point.seed);
  const std::vector<std::int64_t> rows = rows_to_check(point.problem.seqlen_q, point.tile.br);
  const StoredScores stored = download_scores(program, tensors.addresses);
  std::string failure = check_scores(point.problem, inputs, rows, stored).failure();
  if (!failure.empty()) return failure;
  const Comparison comparison =
      compare_outputs(program, compute_reference(point.problem, inputs, rows, stored), tensors.addresses);
  record.measurement->max_error = comparison.worst_error;
  return comparison.failure(error_tolerance(point.problem.dtype));
}

void LiveRun::State::count(const MeasuredProgram& measured, Record& record) {
  Provenance& provenance = record.provenance;
  if (!counters) {
    provenance.note = counters_absence;
    return;
  }
  const std::optional<double> max_error = record.measurement->max_error;
  ProtocolResult result =
      measure_program(*counters, measured, ProtocolOptions{.cache_state = record.point.cache_state});
  record.measurement = result.measurement;
  record.measurement->max_error = max_error;
  provenance.passes = result.passes;
  provenance.repeats = result.repeats;
  provenance.hbm_spread = result.hbm_spread;
  provenance.note = result.note;
  if (need == CounterNeed::needed && !result.note.empty()) {
    fail(record, "counters were required: " + result.note);
  }
}

}  // namespace hbmscope
