#pragma once

#include <string>

#include "sim/algorithms/algorithm.h"

// flash1's kernel: one CTA for each query head; K/V outside, q tiles inside, O, l and m through memory.
namespace hbmscope {

// Why the kernel cannot run a plan; "" if it can.
std::string limit_of_flash1_mma(const Plan& plan);

void build_flash1_mma(const Plan& plan, Program& program);

}  // namespace hbmscope
