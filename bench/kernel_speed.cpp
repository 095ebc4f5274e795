// How fast the kernels are: CUDA events around a program's launches, from a clean L2, as validate times them.
// Counters: useful FLOPs per second, and compulsory HBM bytes per second. Without a GPU it says why and runs
// nothing.
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
  std::string algorithm;
  Plan plan;

  std::string name() const {
    const Problem& p = plan.problem;
    return fmt::format("{}/b{}_h{}_n{}_d{}_{}_{}/{}x{}", algorithm, p.batch, p.heads, p.seqlen_q, p.head_dim,
                       to_string(p.dtype), to_string(p.mask), plan.tile.br, plan.tile.bc);
  }
};

std::vector<KernelPoint> kernel_points() {
  std::vector<KernelPoint> points;
  for (const std::string algorithm : {"standard", "flash2"}) {
    for (const std::int64_t head_dim : {64, 128}) {
      for (const Mask mask : {Mask::full, Mask::causal}) {
        for (const Tile& tile :
             {Tile{.br = 128, .bc = 64}, Tile{.br = 64, .bc = 64}, Tile{.br = 128, .bc = 128}}) {
          Problem problem{.batch = 4, .heads = 16, .kv_heads = 16, .seqlen_q = 4096, .seqlen_kv = 4096};
          problem.head_dim = problem.head_dim_v = head_dim;
          problem.dtype = DataType::bf16;
          problem.mask = mask;
          points.push_back({algorithm, {.problem = problem, .tile = tile}});
        }
      }
    }
  }
  return points;
}

// A point's program on the GPU with its inputs in place.
struct PlacedRun {
  Program program;
  Traffic traffic;
  std::unique_ptr<AttentionRun> run;
  std::unique_ptr<DeviceArena> arena;

  PlacedRun(const Device& device, const KernelCompiler& compiler, const KernelPoint& point) {
    const Algorithm& algorithm = find_algorithm(point.algorithm);
    build_program(algorithm, find_variant(algorithm, "mma"), point.plan, program);
    count_traffic(program, traffic);
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

void set_counters(benchmark::State& state, const Traffic& traffic) {
  std::uint64_t flops = 0;
  for (const LaunchTraffic& launch : traffic.launches) flops += launch.flops;
  const TensorTraffic total = total_of(traffic);
  const auto per_second = [&](std::uint64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
  };
  state.counters["FLOP"] = per_second(flops);  // printed with "/s"
  state.counters["HBM_compulsory_bytes"] = per_second(total.compulsory.read + total.compulsory.write);
}

void time_kernels(benchmark::State& state, Bench& bench, const KernelPoint& point) {
  try {
    const PlacedRun& placed = bench.place(point);
    const MeasuredProgram measured{.launches = [&] { placed.run->launch(); },
                                   .clean_l2 = [&] { bench.clean_l2(); }};
    // time_program begins with a run that is not timed.
    for (auto _ : state) state.SetIterationTime(time_program(measured, CacheState::cold, 1).median_s);
    set_counters(state, placed.traffic);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
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
    for (const KernelPoint& point : kernel_points()) {
      benchmark::RegisterBenchmark(
          point.name().c_str(),
          [&bench, point](benchmark::State& state) { time_kernels(state, bench, point); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
