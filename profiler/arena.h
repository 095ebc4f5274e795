#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/units.h"

namespace hbmscope {

// Tensors start at multiples of this: the L2's home rule hashes addresses in steps of 4 KiB, so a finer step
// would not change placement and a coarser one would hide some of it.
inline constexpr Bytes kArenaAlignment = 4 * kKiB;

// Room beside the tensors from which their places are drawn.
inline constexpr Bytes kArenaSlack = kGiB;

// Bytes that tensors of these sizes take, each rounded up to the alignment. Throws UserError on overflow.
Bytes arena_payload_bytes(std::span<const Bytes> sizes);

// Offsets of the tensors within an arena of `arena_bytes`, in the order of `sizes`: aligned, without overlap,
// their order and the gaps between them drawn from (seed, placement). The same arguments give the same
// offsets on every machine. Throws UserError if the arena is too small.
std::vector<Bytes> place_tensors(std::span<const Bytes> sizes, Bytes arena_bytes, std::uint64_t seed,
                                 std::uint64_t placement);

}  // namespace hbmscope
