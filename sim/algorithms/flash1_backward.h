#pragma once

#include "sim/algorithms/algorithm.h"

namespace hbmscope {

// What the backward pass reads of the forward pass.
struct Flash1Saved {
  int q, k, v, o, l, m;
};

// Appends Algorithm 4 of Dao et al. 2022.
void build_flash1_backward(const Plan& plan, const Flash1Saved& saved, Program& program);

}  // namespace hbmscope
