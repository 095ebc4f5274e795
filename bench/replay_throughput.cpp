// How fast the L2 replay is: tile steps per second on one core. A step is one K/V tile of one CTA, one
// placement.
#include <benchmark/benchmark.h>

#include <memory>

#include "sim/algorithms/algorithm.h"
#include "sim/l2/replay.h"
#include "sim/stream.h"

namespace hbmscope {
namespace {

std::unique_ptr<Program> flash2(Mask mask) {
  auto program = std::make_unique<Program>();
  Plan plan;
  plan.problem.seqlen_q = plan.problem.seqlen_kv = 16384;
  plan.problem.mask = mask;
  const Algorithm& algorithm = find_algorithm("flash2");
  build_program(algorithm, find_variant(algorithm, "mma"), plan, *program);
  return program;
}

std::int64_t steps_of(const Program& program) {
  const LaunchBody body(program, 0);
  std::uint64_t steps = 0;
  for (std::int64_t item = 0; item < body.items(); ++item) steps += body.iterations_of(item);
  return static_cast<std::int64_t>(steps);
}

void replay_flash2(benchmark::State& state, Mask mask) {
  const GpuSpec gpu = load_gpu("h200");
  const auto program = flash2(mask);
  HbmTraffic hbm;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    replay(*program, gpu, seed++, hbm);
    benchmark::DoNotOptimize(hbm);
  }
  state.SetItemsProcessed(state.iterations() * steps_of(*program));
}

BENCHMARK_CAPTURE(replay_flash2, full, Mask::full)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_flash2, causal, Mask::causal)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hbmscope

BENCHMARK_MAIN();
