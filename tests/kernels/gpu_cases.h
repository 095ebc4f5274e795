#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "kernels/inputs.h"
#include "sim/algorithms/algorithm.h"
#include "sim/gpu.h"
#include "sim/kernel_shapes/mma_tile.h"
#include "sim/occupancy.h"

namespace hbmscope {

// A shape that a kernel is run with and checked against the reference.
struct GpuCase {
  std::string algorithm;
  Problem problem;
  Tile tile;
  InputSpread spread{};
  Order order = Order::q_fastest;
  Walk kv_walk = Walk::up;
  std::string variant = "mma";

  Plan plan() const { return {.problem = problem, .tile = tile, .order = order, .kv_walk = kv_walk}; }
};

inline bool has_large_logits(const GpuCase& c) { return c.spread.q > 1.0F; }

inline std::string name_of(const GpuCase& c) {
  const Problem& p = c.problem;
  std::string name = fmt::format("{}_{}_{}_{}_d{}_b{}h{}kv{}_q{}_k{}_tile{}x{}s{}", c.algorithm, c.variant,
                                 to_string(p.dtype), to_string(p.mask), p.head_dim, p.batch, p.heads,
                                 p.kv_heads, p.seqlen_q, p.seqlen_kv, c.tile.br, c.tile.bc, c.tile.stages);
  if (p.mask == Mask::window) name += fmt::format("_w{}", p.window);
  if (c.order != Order::q_fastest) name += fmt::format("_{}", to_string(c.order));
  if (c.kv_walk != Walk::up) name += fmt::format("_{}", to_string(c.kv_walk));
  if (has_large_logits(c)) name += fmt::format("_logits{:g}", c.spread.q);
  std::ranges::replace(name, '-', '_');  // a test's name has none
  return name;
}

inline void PrintTo(const GpuCase& c, std::ostream* stream) { *stream << name_of(c); }

inline Program program_of(const GpuCase& c) {
  Program program;
  const Algorithm& algorithm = find_algorithm(c.algorithm);
  build_program(algorithm, find_variant(algorithm, c.variant), c.plan(), program);
  return program;
}

// Why the kernels cannot run a case on an H200; "" if they can.
inline std::string refusal_of(const GpuCase& c) {
  static const GpuSpec gpu = load_gpu("h200");
  std::string reason = find_variant(find_algorithm(c.algorithm), "mma").limit(c.plan());
  if (!reason.empty()) return reason;
  for (const Launch& launch : program_of(c).launches) {
    reason = launch_limit(launch, gpu);
    if (!reason.empty()) break;
  }
  return reason;
}

// The case for every algorithm with mma kernels, in the order and the walk that it takes, whether they can
// run it or not.
inline std::vector<GpuCase> for_all_algorithms(const GpuCase& shape) {
  std::vector<GpuCase> cases;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      if (variant.name != "mma") continue;
      GpuCase c = shape;
      c.algorithm = algorithm->name;
      if (!variant.takes.head_fastest) c.order = Order::q_fastest;
      if (!variant.takes.kv_walks) c.kv_walk = Walk::up;
      cases.push_back(c);
    }
  }
  return cases;
}

// Adds a shape for every algorithm that runs it and both types; full and causal, unless it has a window.
inline void add_cases(std::vector<GpuCase>& cases, GpuCase shape) {
  shape.problem.head_dim_v = shape.problem.head_dim;
  const bool window = shape.problem.window != 0;
  for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
    for (const Mask mask : window ? std::vector{Mask::window} : std::vector{Mask::full, Mask::causal}) {
      shape.problem.dtype = dtype;
      shape.problem.mask = mask;
      for (const GpuCase& c : for_all_algorithms(shape)) {
        if (refusal_of(c).empty()) cases.push_back(c);
      }
    }
  }
}

inline void add_cases(std::vector<GpuCase>& cases, const Problem& problem, const Tile& tile,
                      const InputSpread& spread = {}) {
  add_cases(cases, {.algorithm = {}, .problem = problem, .tile = tile, .spread = spread});
}

// Both types, full and causal.
inline void add_cublas_cases(std::vector<GpuCase>& cases, Problem problem, const InputSpread& spread = {}) {
  for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      problem.dtype = dtype;
      problem.mask = mask;
      cases.push_back({.algorithm = "standard", .problem = problem, .spread = spread, .variant = "cublas"});
    }
  }
}

// cuBLAS's products with our softmax between them: every head dim, alone and in groups of query heads, whose
// rows of a tile straddle heads; small and large tiles of the table.
inline std::vector<GpuCase> cublas_cases() {
  std::vector<GpuCase> cases;
  for (const std::int64_t head_dim : {64, 128, 192, 256}) {
    Problem problem{.batch = 2, .heads = 32, .kv_heads = 16, .seqlen_q = 128, .seqlen_kv = 256};
    problem.head_dim = problem.head_dim_v = head_dim;
    add_cublas_cases(cases, problem);
    problem.kv_heads = 32;
    problem.seqlen_q = problem.seqlen_kv = 512;
    add_cublas_cases(cases, problem, {.q = 4.0F, .k = 4.0F});
    problem.seqlen_q = 1024;  // more queries than keys: causal rows that see no key
    add_cublas_cases(cases, problem, {.q = 4.0F, .k = 4.0F});
  }
  Problem long_rows{
      .batch = 1, .heads = 8, .kv_heads = 8, .seqlen_q = 4096, .seqlen_kv = 4096, .head_dim = 128};
  long_rows.head_dim_v = 64;
  add_cublas_cases(cases, long_rows);
  return cases;
}

// Small enough for compute-sanitizer: every path of the kernels, ragged in both lengths.
inline std::vector<GpuCase> small_cases() {
  std::vector<GpuCase> cases;
  const Problem gqa{.batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 97, .seqlen_kv = 163};
  for (const std::int64_t head_dim : {64, 128}) {
    Problem problem = gqa;
    problem.head_dim = head_dim;
    add_cases(cases, problem, {.br = 48, .bc = 80, .stages = 2});
    problem.seqlen_q = 150;  // more queries than keys: causal rows that see no key, and whole tiles of them
    problem.seqlen_kv = 70;
    add_cases(cases, problem, {.br = 64, .bc = 64, .stages = 1});
  }
  for (const std::int64_t head_dim : {32, 80, 96, 192, 256}) {
    Problem problem = gqa;
    problem.head_dim = head_dim;
    add_cases(cases, problem, {.br = 64, .bc = 64, .stages = 1});
  }
  Problem mha{.batch = 1, .heads = 2, .kv_heads = 2, .seqlen_q = 300, .seqlen_kv = 300, .head_dim = 128};
  add_cases(cases, mha, {.br = 16, .bc = 16, .stages = 3});
  add_cases(cases, mha, {.br = 128, .bc = 64, .stages = 1});
  add_cases(cases, mha, {.br = 256, .bc = 256, .stages = 1});
  mha.seqlen_q = 1;  // one query: decode
  mha.kv_heads = 1;
  add_cases(cases, mha, {.br = 16, .bc = 128, .stages = 2});
  return cases;
}

// flash2 in every order of the grid and of K and V, under every mask.
inline std::vector<GpuCase> order_cases() {
  std::vector<GpuCase> cases;
  for (const std::int64_t window : {0, 70}) {
    for (const Order order : {Order::q_fastest, Order::head_fastest}) {
      for (const Walk walk : {Walk::up, Walk::down, Walk::alternating}) {
        GpuCase c{
            .algorithm = {},
            .problem =
                {.batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 197, .seqlen_kv = 263, .head_dim = 64},
            .tile = {.br = 64, .bc = 48, .stages = 2},
            .order = order,
            .kv_walk = walk};
        c.problem.window = window;
        add_cases(cases, c);
      }
    }
  }
  std::erase_if(cases, [](const GpuCase& c) { return c.algorithm != "flash2"; });
  return cases;
}

// Many tiles per row, all tiles of the recorded run's kind, logits with a deviation of 16, rows of S beyond
// one warp.
inline std::vector<GpuCase> large_cases() {
  std::vector<GpuCase> cases;
  for (const std::int64_t head_dim : {64, 128}) {
    Problem problem{
        .batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 1024, .seqlen_kv = 1024, .head_dim = head_dim};
    add_cases(cases, problem, {.br = 128, .bc = 64, .stages = 1});
    add_cases(cases, problem, {.br = 64, .bc = 128, .stages = 1}, {.q = 4.0F, .k = 4.0F});
    problem.window = 300;
    add_cases(cases, problem, {.br = 128, .bc = 64, .stages = 1});
    problem.window = 0;
    problem.seqlen_q = 2053;
    problem.seqlen_kv = 4099;
    add_cases(cases, problem, {.br = 128, .bc = 128, .stages = 1});
  }
  return cases;
}

inline constexpr int kRandomShapes = 100;

// Shapes drawn from everything that a kernel takes, the same on every machine; no algorithm yet.
inline std::vector<GpuCase> random_shapes(int count, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {  // both ends included
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(high - low + 1));
  };
  std::vector<GpuCase> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    GpuCase c;
    c.problem.batch = draw(1, 3);
    c.problem.kv_heads = draw(1, 3);
    c.problem.heads = c.problem.kv_heads * draw(1, 4);
    c.problem.seqlen_q = draw(1, 400);
    c.problem.seqlen_kv = draw(1, 700);
    c.problem.head_dim = kMmaHeadDims[draw(0, std::ssize(kMmaHeadDims) - 1)];
    c.problem.head_dim_v = c.problem.head_dim;
    c.problem.dtype = draw(0, 1) == 0 ? DataType::bf16 : DataType::fp16;
    c.problem.mask = static_cast<Mask>(draw(0, 2));
    if (c.problem.mask == Mask::window) c.problem.window = draw(1, 300);
    c.tile = {.br = kMmaStep * draw(1, 8), .bc = kMmaStep * draw(1, 8), .stages = draw(1, 3)};
    c.order = static_cast<Order>(draw(0, 1));
    c.kv_walk = static_cast<Walk>(draw(0, 2));
    shapes.push_back(c);
  }
  return shapes;
}

// Those of `count` random shapes that an algorithm with kernels can run.
inline std::vector<GpuCase> random_cases(int count, std::uint32_t seed) {
  std::vector<GpuCase> cases;
  for (const GpuCase& shape : random_shapes(count, seed)) {
    for (const GpuCase& c : for_all_algorithms(shape)) {
      if (refusal_of(c).empty()) cases.push_back(c);
    }
  }
  return cases;
}

}  // namespace hbmscope
