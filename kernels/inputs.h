#pragma once

#include <cstdint>
#include <vector>

#include "sim/problem.h"

namespace hbmscope {

using Half = std::uint16_t;  // bits of a bf16 or fp16 value; Problem::dtype says which

// Standard deviations of the three inputs. Logits have deviation q · k · sqrt(head_dim) · softmax scale.
struct InputSpread {
  float q = 1.0F;
  float k = 1.0F;
  float v = 1.0F;
};

// Q (batch, heads, seqlen_q, head_dim), K (batch, kv_heads, seqlen_kv, head_dim) and
// V (batch, kv_heads, seqlen_kv, head_dim_v), rounded to the problem's 16-bit type.
struct AttentionInputs {
  std::vector<Half> q;
  std::vector<Half> k;
  std::vector<Half> v;
};

// Normally distributed; element i of a tensor depends on the seed, the tensor and i alone, so the values are
// the same however many threads make them. Throws UserError for a type that has not 16 bits.
AttentionInputs make_inputs(const Problem& problem, std::uint64_t seed, const InputSpread& spread = {});

// The KV head (batch · kv_heads + head) that a query head (batch · heads + head) reads.
std::int64_t kv_head_of(const Problem& problem, std::int64_t query_head);

float half_to_float(Half bits, DataType dtype);
Half float_to_half(float value, DataType dtype);

// 1 / sqrt(head_dim), as the kernels are given it.
float softmax_scale(const Problem& problem);

}  // namespace hbmscope
