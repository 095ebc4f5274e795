#pragma once

#include <cstdint>

#include "sim/algorithms/algorithm.h"
#include "sim/foreign_kernel.h"

// The parts of FlashAttention-2's forward pass. Variants differ in how their kernels carry it out.
namespace hbmscope {

struct Flash2Tensors {
  int q, k, v, o, lse;
  int s, p, m, l;         // on chip
  int partial_o = kNone;  // of each split, in fp32; kNone where K and V are not split
  int partial_stats = kNone;
};

// How a kernel carries the forward pass out.
struct Flash2Launch {
  Path path = Path::registers;  // of Q, K and V
  bool batch_before_head = false;
  std::int64_t heads_of_section = 0;  // taken at a time; 0: all
  L2Hint q_hint = L2Hint::normal;
  L2Hint kv_hint = L2Hint::normal;
  bool writes_lse = true;
  Spills spills;
  // Shared-memory operands and exponentials of a kernel; all zero where none is described.
  std::int64_t held_q_read = 0;  // once, at the first K/V tile
  std::int64_t q_read = 0;       // the rest for each K/V tile
  std::int64_t k_read = 0;
  std::int64_t v_read = 0;
  std::int64_t rescales_per_query = 1;
};

// Adds Q, K, V, O, LSE (inputs of a backward pass alone: O and LSE) and what lives on chip.
Flash2Tensors add_flash2_tensors(const Plan& plan, std::int64_t lse_bytes, Program& program);

// Adds what the tile's splits write: O and `stats` numbers of each row.
void add_flash2_partials(const Plan& plan, std::int64_t stats, Flash2Tensors& tensors, Program& program);

// Appends a launch that combines what the splits wrote, `rows` rows for each CTA.
void build_flash2_combine(const Plan& plan, const Flash2Tensors& tensors, std::int64_t rows, bool writes_lse,
                          Program& program);

// Appends the forward pass to the program's last launch. Returns the loop over the q tiles.
Loop& build_flash2_forward(const Plan& plan, const Flash2Tensors& tensors, const Flash2Launch& how,
                           Program& program);

// Forward passes by kernels that others built, and what these imply of a plan.
void build_flash2_fa2(const Plan& plan, Program& program);
void build_flash2_cudnn(const Plan& plan, Program& program);
void build_flash2_fa3(const Plan& plan, Program& program);
ImpliedPlan flash2_fa2_plan(const Problem& problem);
ImpliedPlan flash2_cudnn_plan(const Problem& problem);
ImpliedPlan flash2_fa3_plan(const Problem& problem);
std::string flash2_fa2_note(const Problem& problem, const GpuSpec& gpu);
std::string flash2_cudnn_note(const Problem& problem, const GpuSpec& gpu);
std::string flash2_fa3_note(const Problem& problem, const GpuSpec& gpu);

}  // namespace hbmscope
