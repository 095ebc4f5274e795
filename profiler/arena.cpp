#include "profiler/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sim/error.h"

namespace hbmscope {
namespace {

std::uint64_t pages_of(Bytes bytes) {
  return bytes / kArenaAlignment + (bytes % kArenaAlignment != 0 ? 1 : 0);
}

// The standard fixes mt19937_64's numbers but not those of its distributions; the bias of a remainder (below
// 2^-30 for any arena) does not matter for addresses.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t bound) { return random() % bound; }

std::vector<std::size_t> shuffled_indices(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) {
    std::swap(indices[left - 1], indices[draw_below(random, left)]);
  }
  return indices;
}

}  // namespace

Bytes arena_payload_bytes(std::span<const Bytes> sizes) {
  Bytes total = 0;
  for (const Bytes size : sizes) {
    total = checked_add(total, checked_multiply(pages_of(size), kArenaAlignment, "arena"), "arena");
  }
  return total;
}

std::vector<Bytes> place_tensors(std::span<const Bytes> sizes, Bytes arena_bytes, std::uint64_t seed,
                                 std::uint64_t placement) {
  const Bytes payload = arena_payload_bytes(sizes);
  if (payload > arena_bytes) {
    throw UserError("arena", fmt::format("{} bytes", arena_bytes),
                    fmt::format("the tensors need {} bytes", payload));
  }
  // splitmix64's increment: neighbouring placements of a seed start far apart.
  std::mt19937_64 random(seed + placement * 0x9e3779b97f4a7c15ULL);
  const std::vector<std::size_t> order = shuffled_indices(sizes.size(), random);

  // Sorted draws cut the free pages into the gaps before each tensor.
  const std::uint64_t free_pages = (arena_bytes - payload) / kArenaAlignment;
  std::vector<std::uint64_t> cuts(sizes.size());
  for (std::uint64_t& cut : cuts) cut = draw_below(random, free_pages + 1);
  std::ranges::sort(cuts);

  std::vector<Bytes> offsets(sizes.size());
  std::uint64_t used_pages = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    offsets[order[i]] = (cuts[i] + used_pages) * kArenaAlignment;
    used_pages += pages_of(sizes[order[i]]);
  }
  return offsets;
}

}  // namespace hbmscope
