#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/inputs.h"
#include "sim/algorithms/algorithm.h"

namespace hbmscope {

// A shape that a kernel is run with and checked against the reference.
struct GpuCase {
  std::string algorithm;
  Problem problem;
  Tile tile;
  InputSpread spread{};
  std::string variant = "mma";
};

inline bool has_large_logits(const GpuCase& c) { return c.spread.q > 1.0F; }

inline std::string name_of(const GpuCase& c) {
  const Problem& p = c.problem;
  std::string algorithm = c.algorithm;
  std::ranges::replace(algorithm, '-', '_');  // a test's name has none
  return fmt::format("{}_{}_{}_{}_d{}_b{}h{}kv{}_q{}_k{}_tile{}x{}s{}{}", algorithm, c.variant,
                     to_string(p.dtype), to_string(p.mask), p.head_dim, p.batch, p.heads, p.kv_heads,
                     p.seqlen_q, p.seqlen_kv, c.tile.br, c.tile.bc, c.tile.stages,
                     has_large_logits(c) ? fmt::format("_logits{:g}", c.spread.q) : "");
}

inline void PrintTo(const GpuCase& c, std::ostream* stream) { *stream << name_of(c); }

inline Program program_of(const GpuCase& c) {
  Program program;
  const Algorithm& algorithm = find_algorithm(c.algorithm);
  build_program(algorithm, find_variant(algorithm, c.variant), {.problem = c.problem, .tile = c.tile},
                program);
  return program;
}

// Adds a shape for every algorithm with kernels, both types, full and causal.
inline void add_cases(std::vector<GpuCase>& cases, Problem problem, const Tile& tile,
                      const InputSpread& spread = {}) {
  problem.head_dim_v = problem.head_dim;
  for (const std::string algorithm : {"flash2", "flash1", "standard", "standard-online"}) {
    for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
      for (const Mask mask : {Mask::full, Mask::causal}) {
        problem.dtype = dtype;
        problem.mask = mask;
        cases.push_back({algorithm, problem, tile, spread});
      }
    }
  }
}

// Both types, full and causal.
inline void add_cublas_cases(std::vector<GpuCase>& cases, Problem problem, const InputSpread& spread = {}) {
  for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
    for (const Mask mask : {Mask::full, Mask::causal}) {
      problem.dtype = dtype;
      problem.mask = mask;
      cases.push_back({"standard", problem, {}, spread, "cublas"});
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
  Problem mha{.batch = 1, .heads = 2, .kv_heads = 2, .seqlen_q = 300, .seqlen_kv = 300, .head_dim = 128};
  add_cases(cases, mha, {.br = 16, .bc = 16, .stages = 3});
  add_cases(cases, mha, {.br = 128, .bc = 64, .stages = 1});
  add_cases(cases, mha, {.br = 256, .bc = 256, .stages = 1});
  mha.seqlen_q = 1;  // one query: decode
  mha.kv_heads = 1;
  add_cases(cases, mha, {.br = 16, .bc = 128, .stages = 2});
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
    problem.seqlen_q = 2053;
    problem.seqlen_kv = 4099;
    add_cases(cases, problem, {.br = 128, .bc = 128, .stages = 1});
  }
  return cases;
}

}  // namespace hbmscope
