// How fast a sweep can be: points predicted per second on one core, for every algorithm and variant, and the
// estimate of the L2 (--l2 model) alone. New ones appear by themselves.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/l2/closed_form.h"
#include "sim/predict.h"

namespace hbmscope {
namespace {

// Tiles from small to large, or the one that the variant implies.
std::vector<Tile> tiles_of(const Variant& variant, const Problem& problem) {
  if (variant.implied != nullptr) return {variant.implied(problem).tile};
  std::vector<Tile> tiles;
  for (const std::int64_t br : {16, 64, 128, 256}) {
    for (const std::int64_t bc : {16, 64, 128, 256}) tiles.push_back({.br = br, .bc = bc});
  }
  return tiles;
}

// Lengths with and without a ragged last tile.
std::vector<Point> sweep_points(const Algorithm& algorithm, const Variant& variant, Mask mask) {
  std::vector<Point> points;
  for (const std::int64_t seqlen : {512, 1000, 4096, 16384}) {
    Point point{
        .gpu = "h200", .algorithm = std::string(algorithm.name), .variant = std::string(variant.name)};
    point.problem.seqlen_q = point.problem.seqlen_kv = seqlen;
    point.problem.mask = mask;
    if (variant.implied != nullptr) {
      point.order = variant.implied(point.problem).order;
      point.kv_walk = variant.implied(point.problem).kv_walk;
    }
    for (const Tile& tile : tiles_of(variant, point.problem)) {
      point.tile = tile;
      points.push_back(point);
    }
  }
  return points;
}

void predict_sweep(benchmark::State& state, const Algorithm& algorithm, const Variant& variant, Mask mask) {
  const GpuSpec gpu = load_gpu("h200");
  const std::vector<Point> points = sweep_points(algorithm, variant, mask);
  PredictionScratch scratch;
  for (auto _ : state) {
    for (const Point& point : points) {
      benchmark::DoNotOptimize(predict_record({&gpu, &algorithm, &variant}, point, scratch, false));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(points.size()));
}

// Programs and counts stand ready.
void estimate_sweep(benchmark::State& state, const Algorithm& algorithm, const Variant& variant, Mask mask) {
  const GpuSpec gpu = load_gpu("h200");
  std::vector<std::unique_ptr<PredictionScratch>> counted;
  for (const Point& point : sweep_points(algorithm, variant, mask)) {
    PredictionScratch& scratch = *counted.emplace_back(std::make_unique<PredictionScratch>());
    predict_record({&gpu, &algorithm, &variant}, point, scratch, false);
  }
  for (auto _ : state) {
    for (const auto& scratch : counted) {
      estimate_hbm(scratch->program, scratch->traffic, gpu, scratch->hbm);
      benchmark::DoNotOptimize(scratch->hbm);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(counted.size()));
}

void register_benchmark(const char* what, const Algorithm& algorithm, const Variant& variant, Mask mask,
                        void (*sweep)(benchmark::State&, const Algorithm&, const Variant&, Mask)) {
  std::string name = what;
  for (const std::string_view part : {algorithm.name, variant.name, to_string(mask)}) {
    name.append("/").append(part);
  }
  benchmark::RegisterBenchmark(name.c_str(), [&algorithm, &variant, mask, sweep](benchmark::State& state) {
    sweep(state, algorithm, variant, mask);
  });
}

void register_benchmarks() {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      for (const Mask mask : {Mask::full, Mask::causal}) {
        register_benchmark("predict", *algorithm, variant, mask, predict_sweep);
        register_benchmark("estimate", *algorithm, variant, mask, estimate_sweep);
      }
    }
  }
}

}  // namespace
}  // namespace hbmscope

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  hbmscope::register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
