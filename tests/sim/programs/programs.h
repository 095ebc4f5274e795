#pragma once

#include <cstdint>
#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/program.h"

// Programs that only the tests know: they show that the representation carries more than the registered
// algorithms, and everything derived from it follows without a change.
namespace hbmscope::test {

// A program with the tables it points at.
struct BuiltProgram {
  BuiltProgram() = default;
  BuiltProgram(BuiltProgram&&) = default;
  BuiltProgram(const BuiltProgram&) = delete;  // the copy would point at the original's tables
  BuiltProgram& operator=(const BuiltProgram&) = delete;
  BuiltProgram& operator=(BuiltProgram&&) = delete;
  ~BuiltProgram() = default;

  Program program;
  std::vector<std::vector<std::int64_t>> tables;
};

// Copies `values` into the program as a new table; returns its number.
int add_table(BuiltProgram& built, std::vector<std::int64_t> values);

struct ForwardTensors {
  int q, k, v, o, lse;
};

// Q, K, V, O in the problem's type and LSE in fp32, with the problem's planes and rows.
ForwardTensors add_forward_tensors(const Problem& problem, Program& program);

// Flash-Decoding: tile.splits CTAs share a row of K/V tiles and write partial O and LSE in fp32; a second
// launch combines them. Full or causal.
void build_split_kv(const Plan& plan, BuiltProgram& built);

// K and V lie in pages of problem.page_size tokens; sequence b holds lengths[b] of them. bc is a multiple or
// a divisor of the page size; full mask. K's cache is one matrix of pages per KV head, V's a matrix per page
// and head, so both ways of addressing a page are used. `block_table[b][i]` is the page of tokens from i ·
// page_size on.
void build_paged(const Plan& plan, const std::vector<std::int64_t>& lengths,
                 const std::vector<std::vector<std::int64_t>>& block_table, BuiltProgram& built);

// MLA: one latent of head_dim columns per token, V is its first head_dim_v columns. One KV head.
void build_mla(const Plan& plan, BuiltProgram& built);

// flash2 on persistent CTAs that take the longest q tile first.
void build_longest_first(const Plan& plan, std::int64_t persistent_ctas, BuiltProgram& built);

// flash2 with registers that spill: every CTA writes `per_cta` bytes of its local memory before its K/V tiles
// and `per_step` bytes for each of them. Forward only.
void build_spilling(const Plan& plan, std::int64_t per_step, std::int64_t per_cta, BuiltProgram& built);

// Sequences of different length without padding: rows of all sequences follow one another (cu_seqlens).
// Query and key lengths are equal. Full or causal.
void build_ragged_batch(const Plan& plan, const std::vector<std::int64_t>& lengths, BuiltProgram& built);

// The query heads of a KV head packed into one tile of br rows: K and V cross the L2 <-> SM boundary once for
// all of them.
void build_packed_gqa(const Plan& plan, BuiltProgram& built);

// flash2 in clusters of `cluster` neighbouring q tiles, K and V read once per cluster. Full mask.
void build_multicast(const Plan& plan, std::int64_t cluster, BuiltProgram& built);

}  // namespace hbmscope::test
