#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "sim/program.h"

namespace hbmscope {

// Arithmetic of a pass on all (query, key) pairs of a head.
struct PassCompute {
  std::string_view name;
  ComputeKind kind = ComputeKind::elementwise;
  std::int64_t depth = 0;                  // of a matmul
  std::int64_t exponentials_per_pair = 0;  // of a softmax
};

// The papers' count of a launch that is not fused with others: it reads each operand once and writes each
// result once, whole tensors. The query heads of a group are an inner loop, so that what belongs to a KV head
// is moved once too: a sum over the group stays on chip.
struct WholePass {
  std::string_view name;
  std::initializer_list<int> kv_loads;  // tensors of KV heads, read before the loop over the group
  std::initializer_list<int> loads;     // tensors of query heads
  PassCompute compute;
  PassCompute then{};                    // a second one, if it has a name
  std::initializer_list<int> stores;     // tensors of query heads
  std::initializer_list<int> kv_stores;  // tensors of KV heads, written after the loop over the group
};

// Appends the pass to the program as a launch.
void add_whole_pass(Program& program, const WholePass& pass);

}  // namespace hbmscope
