// Where the replay puts tensors.
#include "sim/l2/tensor_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace hbmscope::test {

TEST(TensorPlaces, LieBeyondWhatIsTakenInStepsOfAnArena) {
  const L2Geometry geometry = l2_geometry(load_gpu("h200"));
  for (const Bytes next_free : {Bytes{0}, Bytes{1}, turn_of_sets(geometry), 5 * kGiB + 17}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Bytes place = placed_after(next_free, 2, geometry, seed);
      EXPECT_GE(place, next_free);
      EXPECT_LE(place, next_free + kGiB + 2 * turn_of_sets(geometry));
      EXPECT_EQ(place % kPlacementStep, 0U);
      EXPECT_EQ(place, placed_after(next_free, 2, geometry, seed));
    }
  }
}

// Rows of an H200: five runs of 16 rows of 188 KiB meet every class of sets four times.
TEST(TensorPlaces, ATurnIsFiveRunsOfAnH200) {
  EXPECT_EQ(turn_of_sets(l2_geometry(load_gpu("h200"))), 5U * 16 * 188 * kKiB);
}

TEST(TensorPlaces, OfOnePredictionTakeEveryPartOfATurnOnce) {
  const L2Geometry geometry = l2_geometry(load_gpu("h200"));
  const Bytes turn = turn_of_sets(geometry);
  for (const std::uint64_t first : {std::uint64_t{0}, 2 * std::uint64_t{kMostPlacements}}) {
    std::set<std::vector<Bytes>> orders;
    for (int tensor = 0; tensor < 6; ++tensor) {
      std::vector<Bytes> parts;
      for (std::uint64_t seed = first; seed < first + kMostPlacements; ++seed) {
        // Rounded down to a step, a place may leave its part by less than that.
        const Bytes place = placed_after(0, tensor, geometry, seed) % turn + kPlacementStep - 1;
        parts.push_back(std::min<Bytes>(place * kMostPlacements / turn, kMostPlacements - 1));
      }
      EXPECT_EQ(std::set<Bytes>(parts.begin(), parts.end()).size(), kMostPlacements) << tensor;
      orders.insert(parts);
    }
    EXPECT_EQ(orders.size(), 6U);
  }
}

}  // namespace hbmscope::test
