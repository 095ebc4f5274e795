#include "profiler/arena.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace hbmscope {
namespace {

std::vector<Bytes> arbitrary_sizes() {
  return *rc::gen::container<std::vector<Bytes>>(rc::gen::inRange<Bytes>(0, 64 * kMiB));
}

RC_GTEST_PROP(Arena, TensorsAreAlignedInsideAndApart, (std::uint64_t seed, std::uint64_t placement)) {
  const std::vector<Bytes> sizes = arbitrary_sizes();
  const Bytes arena = arena_payload_bytes(sizes) + *rc::gen::inRange<Bytes>(0, kGiB);
  const std::vector<Bytes> offsets = place_tensors(sizes, arena, seed, placement);
  RC_ASSERT(offsets.size() == sizes.size());

  std::vector<std::pair<Bytes, Bytes>> spans;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    RC_ASSERT(offsets[i] % kArenaAlignment == 0U);
    if (sizes[i] > 0) spans.emplace_back(offsets[i], offsets[i] + sizes[i]);
  }
  std::ranges::sort(spans);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    RC_ASSERT(spans[i].second <= arena);
    if (i > 0) RC_ASSERT(spans[i - 1].second <= spans[i].first);
  }
}

RC_GTEST_PROP(Arena, SameArgumentsSamePlaces, (std::uint64_t seed, std::uint64_t placement)) {
  const std::vector<Bytes> sizes = arbitrary_sizes();
  const Bytes arena = arena_payload_bytes(sizes) + kGiB;
  RC_ASSERT(place_tensors(sizes, arena, seed, placement) == place_tensors(sizes, arena, seed, placement));
}

RC_GTEST_PROP(Arena, ATightArenaIsFilledWithoutGaps, (std::uint64_t seed)) {
  const std::vector<Bytes> sizes = arbitrary_sizes();
  RC_PRE(!sizes.empty());
  const std::vector<Bytes> offsets = place_tensors(sizes, arena_payload_bytes(sizes), seed, 0);
  RC_ASSERT(*std::ranges::min_element(offsets) == 0U);
}

TEST(Arena, PlacementsAndSeedsDiffer) {
  const std::vector<Bytes> sizes{4 * kMiB, 4 * kMiB, 4 * kMiB};
  std::set<std::vector<Bytes>> places;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t placement = 0; placement < 8; ++placement) {
      places.insert(place_tensors(sizes, 12 * kMiB + kArenaSlack, seed, placement));
    }
  }
  EXPECT_EQ(places.size(), 64U);
}

// The first tensor of three must come to lie first, second and third, and reach both ends of the slack.
TEST(Arena, PlacesSpreadOverTheWholeArena) {
  const std::vector<Bytes> sizes{kMiB, kMiB, kMiB};
  const Bytes arena = 3 * kMiB + kGiB;
  std::set<std::ptrdiff_t> ranks;
  Bytes lowest = arena;
  Bytes highest = 0;
  for (std::uint64_t placement = 0; placement < 200; ++placement) {
    const std::vector<Bytes> offsets = place_tensors(sizes, arena, 1, placement);
    ranks.insert(std::ranges::count_if(offsets, [&](Bytes offset) { return offset < offsets[0]; }));
    lowest = std::min(lowest, offsets[0]);
    highest = std::max(highest, offsets[0]);
  }
  EXPECT_EQ(ranks.size(), 3U);
  EXPECT_LT(lowest, arena / 10);
  EXPECT_GT(highest, arena - arena / 10);
}

// Fixed numbers: a placement must mean the same addresses in every build that reads recorded rows.
TEST(Arena, OffsetsAreTheSameOnEveryMachine) {
  const std::vector<Bytes> sizes{10000, 4096, 1};
  EXPECT_EQ(place_tensors(sizes, 64 * kMiB, 1, 0), (std::vector<Bytes>{63041536, 11649024, 63201280}));
  EXPECT_EQ(place_tensors(sizes, 64 * kMiB, 1, 5), (std::vector<Bytes>{46669824, 56508416, 2691072}));
}

TEST(Arena, ARefusedArenaNamesNeedAndSize) {
  try {
    place_tensors(std::vector<Bytes>{kMiB, kMiB}, kMiB, 1, 0);
    FAIL() << "a too small arena was accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "arena: '1048576 bytes' is not accepted; the tensors need 2097152 bytes");
  }
}

TEST(Arena, SizesThatOverflowAreRefused) {
  const Bytes huge = std::numeric_limits<Bytes>::max();
  EXPECT_THROW(arena_payload_bytes(std::vector<Bytes>{huge}), UserError);
  EXPECT_THROW(arena_payload_bytes(std::vector<Bytes>{huge / 2 + 1, huge / 2 + 1}), UserError);
}

}  // namespace
}  // namespace hbmscope
