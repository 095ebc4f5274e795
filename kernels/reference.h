#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/inputs.h"
#include "sim/problem.h"

// Attention in double precision on the CPU, from the same rounded inputs as the kernels, and the comparison
// with what a kernel left in memory. Written from the definition, row by row; it shares no code with the
// kernels or the model.
namespace hbmscope {

// The query rows of every head that are checked: all up to kAllRows; beyond that kChosenRows with the first,
// the last, rows on both sides of tile edges (multiples of br) and others spread by a fixed hash. Ascending,
// no duplicates.
inline constexpr std::int64_t kAllRows = 1024;
inline constexpr std::int64_t kChosenRows = 64;
std::vector<std::int64_t> rows_to_check(std::int64_t seqlen_q, std::int64_t br);

enum class Scores : std::uint8_t {
  exact,   // S stays in double precision
  stored,  // S is rounded to the problem's type, as an algorithm does that writes S to memory
};

// S as a program left it in memory: (batch, heads, seqlen_q) rows of `row_stride` elements of the problem's
// type, those from seqlen_kv on being padding.
struct StoredScores {
  std::vector<Half> s;
  std::int64_t row_stride = 0;
};

struct Reference {
  std::vector<std::int64_t> rows;  // of every head
  std::vector<double> o;           // (batch, heads, rows, head_dim_v)
  std::vector<double> lse;  // (batch, heads, rows): ln Σ e^s; -inf for a row that sees no key, whose O is 0
};

// O = softmax(scale · Q Kᵀ + mask) V for the given rows.
Reference compute_reference(const Problem& problem, const AttentionInputs& inputs,
                            std::vector<std::int64_t> rows, Scores scores);

// The same from the stored S instead of Q Kᵀ, which check_scores (kernels/stored_scores.h) holds against Q
// and K: O = softmax(S + mask) V. Needed where logits are large: S near the middle of two 16-bit values may
// be rounded to either, and the unit of a logit of 40 in fp16 (2^-5) changes a probability by 3 %.
Reference compute_reference(const Problem& problem, const AttentionInputs& inputs,
                            std::vector<std::int64_t> rows, const StoredScores& stored);

struct Comparison {
  double worst_error = 0.0;  // of any head: max |O - ref| / max |ref|; infinity when a checked value is NaN
  std::int64_t worst_head = 0;  // batch · heads + head
  double lse_error =
      0.0;  // max |LSE - ref| / max(1, |ref|); infinity when only one of the two is -inf, or NaN
  std::uint64_t unwritten = 0;     // elements of the whole output that still hold the poison
  std::uint64_t not_a_number = 0;  // other NaNs in the whole output

  // Empty when the output passes; otherwise what is wrong, in one line.
  std::string failure(double tolerance) const;
};

// `o` is the kernel's whole output (batch, heads, seqlen_q, head_dim_v); every element is looked at for
// poison, the reference's rows are compared. `lse` is (batch, heads, seqlen_q), or empty for an algorithm
// that writes none.
Comparison compare(const Problem& problem, const Reference& reference, std::span<const Half> o,
                   std::span<const float> lse);

// The largest error that passes: 1e-2 for bf16 (8 bits of precision), 2e-3 for fp16 (11 bits).
double error_tolerance(DataType dtype);

}  // namespace hbmscope
