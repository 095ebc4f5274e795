#pragma once

#include <cstdint>
#include <optional>

#include "sim/loops.h"
#include "sim/program.h"

// Closed forms for the pair of loops that a mask makes: an inner loop whose bounds follow one outer loop in
// even steps, ⌊(f·i + c)/m⌋ clamped. Each function returns nothing where the loops are not of that form;
// BoxWalk then enumerates the outer loop, with the same result.
namespace hbmscope {

// Σ over all iterations of the valid rows of a range that the inner loop moves; 1 for each iteration if
// `rows` is null.
std::optional<std::uint64_t> masked_rows(const Program& program, const Launch& launch, const OpenLoops& open,
                                         const Guard& guard, const Range* rows);

// Σ over all iterations of the (query, key) pairs that the mask lets through. One of the ranges moves with
// the outer loop, the other with the inner one; if the inner bounds leave no visible pair out, the sum is
// that of the whole.
std::optional<std::uint64_t> masked_pairs(const Program& program, const Launch& launch, const OpenLoops& open,
                                          const Guard& guard, const Range& queries, const Range& keys);

// Σ_{i=0}^{n-1} ⌊(a·i + b)/m⌋ for a, b ≥ 0 and m > 0, in O(log m) steps as in Euclid's algorithm.
std::uint64_t floor_sum(std::uint64_t n, std::uint64_t a, std::uint64_t b, std::uint64_t m);

}  // namespace hbmscope
