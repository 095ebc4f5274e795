#include "kernels/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "kernels/float16.h"
#include "kernels/parallel.h"
#include "sim/error.h"
#include "sim/units.h"

namespace hbmscope {

namespace {

constexpr std::int64_t kElementsPerTask = 1 << 16;

// SplitMix64's output function (Steele, Lea, Flood, OOPSLA 2014): a bijection that spreads every input bit
// over 64.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

struct NormalPair {
  float first;
  float second;
};

// Box-Muller: two independent normals from two uniforms, u1 in (0, 1] so that its logarithm is finite.
NormalPair normal_pair(std::uint64_t stream, std::int64_t index) {
  const std::uint64_t random = mix(stream ^ mix(static_cast<std::uint64_t>(index)));
  const float u1 = static_cast<float>((random >> 40) + 1) * 0x1p-24F;
  const float u2 = static_cast<float>((random >> 8) & 0xffffffU) * 0x1p-24F;
  const float radius = std::sqrt(-2.0F * std::log(u1));
  const float angle = 2.0F * std::numbers::pi_v<float> * u2;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

std::vector<Half> make_tensor(std::uint64_t elements, std::uint64_t stream, float deviation, DataType dtype) {
  std::vector<Half> tensor(elements);
  const auto count = static_cast<std::int64_t>(elements);
  parallel_for(ceil_div(count, kElementsPerTask), [&](std::int64_t task) {
    const std::int64_t end = std::min(count, (task + 1) * kElementsPerTask);
    for (std::int64_t index = task * kElementsPerTask; index < end; index += 2) {
      const NormalPair pair = normal_pair(stream, index / 2);
      tensor[static_cast<std::size_t>(index)] = float_to_half(deviation * pair.first, dtype);
      if (index + 1 < end)
        tensor[static_cast<std::size_t>(index) + 1] = float_to_half(deviation * pair.second, dtype);
    }
  });
  return tensor;
}

std::uint64_t element_count(std::int64_t batch, std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  std::uint64_t count = static_cast<std::uint64_t>(batch);
  for (const std::int64_t size : {heads, rows, columns}) {
    count = checked_multiply(count, static_cast<std::uint64_t>(size), "element count");
  }
  return count;
}

}  // namespace

AttentionInputs make_inputs(const Problem& problem, std::uint64_t seed, const InputSpread& spread) {
  const Problem& p = problem;
  if (p.dtype != DataType::bf16 && p.dtype != DataType::fp16) {
    throw UserError("--dtype", std::string(to_string(p.dtype)), "kernels run with bf16 and fp16");
  }
  const std::uint64_t q_elements = element_count(p.batch, p.heads, p.seqlen_q, p.head_dim);
  const std::uint64_t k_elements = element_count(p.batch, p.kv_heads, p.seqlen_kv, p.head_dim);
  const std::uint64_t v_elements = element_count(p.batch, p.kv_heads, p.seqlen_kv, p.head_dim_v);
  return {make_tensor(q_elements, mix(3 * seed), spread.q, p.dtype),
          make_tensor(k_elements, mix(3 * seed + 1), spread.k, p.dtype),
          make_tensor(v_elements, mix(3 * seed + 2), spread.v, p.dtype)};
}

std::int64_t kv_head_of(const Problem& problem, std::int64_t query_head) {
  return query_head / problem.heads * problem.kv_heads + query_head % problem.heads / problem.group();
}

float half_to_float(Half bits, DataType dtype) {
  return dtype == DataType::bf16 ? bf16_to_float(bits) : fp16_to_float(bits);
}

Half float_to_half(float value, DataType dtype) {
  return dtype == DataType::bf16 ? float_to_bf16(value) : float_to_fp16(value);
}

float softmax_scale(const Problem& problem) { return 1.0F / std::sqrt(static_cast<float>(problem.head_dim)); }

}  // namespace hbmscope
