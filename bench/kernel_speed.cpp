// How fast the kernels are: CUDA events around a program's launches, from a clean L2, as validate times them;
// a program of several launches is also timed launch by launch. Counters: FLOPs (useful ones, and executed
// ones of whole tiles) and compulsory HBM bytes of what was timed, each run. Without a GPU it says why and
// runs nothing.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "kernels/attention_run.h"
#include "kernels/gpu.h"
#include "profiler/device_arena.h"
#include "profiler/sweep.h"
#include "profiler/timing.h"
#include "sim/algorithms/algorithm.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

constexpr std::uint64_t kSeed = 1;

struct KernelPoint {
  const Algorithm* algorithm;
  const Variant* variant;
  Plan plan;

  std::string name() const {
    const Problem& p = plan.problem;
    return fmt::format("{}_{}/b{}_h{}_n{}_d{}_{}_{}/{}x{}", algorithm->name, variant->name, p.batch, p.heads,
                       p.seqlen_q, p.head_dim, to_string(p.dtype), to_string(p.mask), plan.tile.br,
                       plan.tile.bc);
  }
  Program program() const {
    Program built;
    build_program(*algorithm, *variant, plan, built);
    return built;
  }
};

void add_points(const Algorithm& algorithm, const Variant& variant, std::vector<KernelPoint>& points) {
  for (const std::int64_t head_dim : {64, 128}) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      for (const Tile& tile :
           {Tile{.br = 128, .bc = 64}, Tile{.br = 64, .bc = 64}, Tile{.br = 128, .bc = 128}}) {
        Problem problem{.batch = 4, .heads = 16, .kv_heads = 16, .seqlen_q = 4096, .seqlen_kv = 4096};
        problem.head_dim = problem.head_dim_v = head_dim;
        problem.dtype = DataType::bf16;
        problem.mask = mask;
        points.push_back({&algorithm, &variant, {.problem = problem, .tile = tile}});
      }
    }
  }
}

std::vector<KernelPoint> kernel_points() {
  std::vector<KernelPoint> points;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (variant.has_kernel) add_points(*algorithm, variant, points);
    }
  }
  return points;
}

// A point's program on the GPU with its inputs in place.
struct PlacedRun {
  Program program;
  std::unique_ptr<AttentionRun> run;
  std::unique_ptr<DeviceArena> arena;

  PlacedRun(const Device& device, const KernelCompiler& compiler, const KernelPoint& point)
      : program(point.program()) {
    run = std::make_unique<AttentionRun>(program, compiler, device.compute_capability());
    const std::vector<Bytes> sizes = tensor_bytes(program);
    arena = std::make_unique<DeviceArena>(device, arena_payload_bytes(sizes));
    const std::vector<DeviceAddress> addresses = arena->place(sizes, kSeed, 0);
    upload_inputs(program, make_inputs(point.plan.problem, kSeed), addresses);
    run->bind(addresses);
  }
};

// The GPU and the point that lies on it: a benchmark is entered several times until its iterations suffice.
class Bench {
 public:
  const PlacedRun& place(const KernelPoint& point) {
    if (placed_ == nullptr || placed_name_ != point.name()) {
      placed_.reset();  // gives its memory back first
      placed_ = std::make_unique<PlacedRun>(device_, compiler_, point);
      placed_name_ = point.name();
    }
    return *placed_;
  }
  void clean_l2() const { sweep_.run(); }

 private:
  Device device_;
  L2Sweep sweep_{device_};
  KernelCompiler compiler_;
  std::string placed_name_;
  std::unique_ptr<PlacedRun> placed_;
};

constexpr int kAllLaunches = -1;

// The program that consists of one of the launches: what it loads, others have written before.
Program alone(const Program& program, int launch) {
  if (launch == kAllLaunches) return program;
  Program part = program;
  part.launches.clear();
  part.launches.push(program.launches[launch]);
  for (const Access& access : part.launches[0].accesses) {
    if (access.operation == Operation::load) part.tensors[access.tensor].role = Role::input;
  }
  return part;
}

void set_counters(benchmark::State& state, const Program& program) {
  Traffic traffic;
  count_traffic(program, traffic);
  std::uint64_t flops = 0;
  std::uint64_t executed_flops = 0;
  for (const LaunchTraffic& launch : traffic.launches) {
    flops += launch.flops;
    executed_flops += launch.executed_flops;
  }
  const ReadWrite compulsory = total_of(traffic).compulsory;
  state.counters["FLOP"] = static_cast<double>(flops);
  state.counters["executed_FLOP"] = static_cast<double>(executed_flops);
  state.counters["HBM_compulsory_bytes"] = static_cast<double>(compulsory.read + compulsory.write);
}

void time_kernels(benchmark::State& state, Bench& bench, const KernelPoint& point, int launch) {
  try {
    const PlacedRun& placed = bench.place(point);
    const auto submit = [&] { launch == kAllLaunches ? placed.run->launch() : placed.run->launch(launch); };
    const MeasuredProgram measured{.launches = submit, .clean_l2 = [&] { bench.clean_l2(); }};
    if (launch != kAllLaunches) placed.run->launch();  // writes what the launch reads
    // time_program begins with a run that is not timed.
    for (auto _ : state) state.SetIterationTime(time_program(measured, CacheState::cold, 1).median_s);
    set_counters(state, alone(placed.program, launch));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void register_point(Bench& bench, const KernelPoint& point) {
  const auto add = [&](const std::string& name, int launch) {
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&bench, point, launch](benchmark::State& state) { time_kernels(state, bench, point, launch); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add(point.name(), kAllLaunches);
  const Program program = point.program();
  if (program.launches.count() == 1) return;
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    const Launch& own = program.launches[launch];
    const std::string_view name =
        own.kernel.empty() ? own.name : own.kernel;  // a library's has no entry of ours
    add(fmt::format("{}/{}", point.name(), name), launch);
  }
}

}  // namespace
}  // namespace hbmscope

int main(int argc, char** argv) {
  using namespace hbmscope;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::string absence = gpu_absence_reason();
  if (!absence.empty()) {
    std::fprintf(stderr, "skipped: no kernel can be timed: %s\n", absence.c_str());
    return 0;
  }
  try {
    Bench bench;
    for (const KernelPoint& point : kernel_points()) register_point(bench, point);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
