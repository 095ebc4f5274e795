#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"

// standard-online's kernels: S = QKᵀ with the maximum and sum of each row and kv tile, then O = softmax(S)V.
namespace hbmscope {

// Why the kernels cannot run a plan; "" if they can.
std::string limit_of_standard_online_mma(const Plan& plan);

void build_standard_online_mma(const Plan& plan, Program& program);

}  // namespace hbmscope
