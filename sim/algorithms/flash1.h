#pragma once

#include <initializer_list>
#include <string_view>

#include "sim/algorithms/algorithm.h"

// The parts of FlashAttention. Variants differ in what they keep of each row: tensors of one column.
namespace hbmscope {

struct Flash1Operands {
  int q, k, v, o;
};

// Algorithm 1 of Dao et al. 2022.
struct Flash1Forward {
  Flash1Operands operands;
  std::initializer_list<int> row_sums;  // l and m, or LSE: read and rewritten with O
  std::string_view softmax;             // pseudo-code of the steps that use them
  std::string_view output;
};

// Algorithm 4.
struct Flash1Backward {
  Flash1Operands operands;
  int d_q, d_k, d_v;
  std::initializer_list<int> rows;  // read beside Q and dQ for each tile of Q
  std::string_view softmax;         // pseudo-code of the steps that use them
  std::string_view d_s;
};

// Adds Q, K, V, O (an input of a backward pass alone) and what lives on chip.
Flash1Operands add_flash1_operands(const Plan& plan, Program& program);

void build_flash1_forward(const Plan& plan, const Flash1Forward& forward, Program& program);
void build_flash1_backward(const Plan& plan, const Flash1Backward& backward, Program& program);

// Algorithms 1 and 4 with what the code and a framework's autograd keep beside them.
void build_flash1_autograd(const Plan& plan, Program& program);

}  // namespace hbmscope
