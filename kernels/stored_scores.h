#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/reference.h"

// Whether the scores that a program wrote to memory are the inputs' scores, each of them to the last bit that
// fp32 accumulation can promise.
namespace hbmscope {

// How far an fp32 score scale · Σ q_i k_i over head_dim products may lie from its exact value, where
// `magnitude` is scale · Σ |q_i k_i|.
//
// Tensor cores multiply 16-bit values exactly, align the products of a block and the accumulator at the
// largest of them, cut each off below at least 23 fraction bits, add, and cut the sum off to fp32 (Fasi,
// Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330, 2021). A cut loses
// less than 2^-23 of the largest operand, which is at most Σ |q_i k_i|. Blocks have 4 products or more, so
// there are head_dim cuts of products and at most head_dim / 4 each of accumulators and sums: 1.5 head_dim.
// One more covers the rounded multiplication by scale (half a cut) and the terms of second order. Sums of
// rounded fp32 additions in any order stay below that too.
double accumulation_error(std::int64_t head_dim, double magnitude);

// The 16-bit values that a score known up to `error` may be stored as, both ends included: rounding to
// nearest and fp16's saturation at 65504 are monotone, so they map an interval onto an interval. It reaches
// at most `error` plus half a unit in the last place to each side.
struct ScoreInterval {
  double low = 0.0;
  double high = 0.0;
};
ScoreInterval storable_scores(double score, double error, DataType dtype);

struct ScoreCheck {
  // Of the whole of S.
  std::uint64_t unwritten = 0;     // elements that still hold the poison
  std::uint64_t not_a_number = 0;  // other NaNs
  std::uint64_t padding = 0;       // elements beyond seqlen_kv that are not 0
  // Of the checked rows.
  std::uint64_t wrong = 0;  // scores outside of their interval
  std::string first_wrong;  // where it is, what it is, and what it may be

  // Empty when S passes; otherwise what is wrong, in one line.
  std::string failure() const;
};

// Holds the scores of the given rows of every head against scale · Q Kᵀ in float64, masked ones included: a
// program that writes S computes the whole square.
ScoreCheck check_scores(const Problem& problem, const AttentionInputs& inputs,
                        std::span<const std::int64_t> rows, const StoredScores& stored);

}  // namespace hbmscope
