#pragma once

#include <cstdint>

#include "sim/algorithms/algorithm.h"

namespace hbmscope {

// What the backward pass reads of the forward pass.
struct Flash2Saved {
  int q, k, v, o, lse;
};

// Where atomic adds gather dQ.
enum class GatherQueries : std::uint8_t {
  in_fp32,   // an fp32 workspace, converted to dQ at the end: FlashAttention-2's kernels
  in_place,  // dQ itself: the paper's Algorithm 2
};

// Appends the backward pass (Dao 2023, Algorithm 2, and what its kernels do). dPsum is stored as LSE is.
// Under GQA dK and dV are written for every query head and then summed over the group.
void build_flash2_backward(const Plan& plan, const Flash2Saved& saved, GatherQueries gather,
                           Program& program);

}  // namespace hbmscope
