// The rules that were measured on an H200 with single SMs on either side of its L2.
#include "sim/l2/l2_state.h"

#include <gtest/gtest.h>

#include <random>

namespace hbmscope {
namespace {

constexpr Bytes kBlock = 16 * kKiB;

// Two sides of one unit each, with room for `blocks` whole blocks a side.
L2Geometry two_sides(int blocks) {
  return {.sides = 2,
          .homes = 2,
          .home_is_a_side = true,
          .side_bytes = static_cast<Bytes>(blocks) * kBlock,
          .home_bytes = 0,
          .stretch_bytes = kBlock,
          .groups = 1,
          .dirty_bytes = static_cast<Bytes>(blocks) * kBlock};
}

L2Geometry one_side(int blocks) {
  L2Geometry geometry = two_sides(blocks);
  geometry.sides = 1;
  geometry.homes = 1;
  return geometry;
}

L2State state_of(const L2Geometry& geometry, int blocks) {
  L2State state(geometry, blocks);
  for (int block = 0; block < blocks; ++block) state.describe_block(block, kBlock, 0);
  return state;
}

ReadWrite billed(const L2State& state, int account) {
  const auto index = static_cast<std::size_t>(account);
  return index < state.accounts().size() ? state.accounts()[index] : ReadWrite{};
}

}  // namespace

// A load that somebody watches takes another way to the same state.
TEST(L2State, WatchedLoadsLeaveWhatOthersLeave) {
  for (const L2Geometry& geometry : {two_sides(4), one_side(6)}) {
    L2State state = state_of(geometry, 9);
    L2State watched = state_of(geometry, 9);
    std::mt19937 random(11);
    for (int step = 0; step < 3000; ++step) {
      const auto block = static_cast<std::int64_t>(random() % 9);
      const int side = static_cast<int>(random()) & (geometry.sides - 1);
      const L2Hint hint = random() % 8 == 0 ? L2Hint::evict_first : L2Hint::normal;
      if (random() % 4 == 0) {
        state.store(block, side, 1);
        watched.store(block, side, 1);
      } else {
        state.load(block, side, 2, hint);
        watched.load_seen(block, side, 2, hint, [](int /*home*/) {});
      }
      ASSERT_EQ(state.fetched(), watched.fetched()) << step;
      ASSERT_EQ(billed(state, 1).write, billed(watched, 1).write) << step;
      for (std::int64_t each = 0; each < 9; ++each) {
        for (int home = 0; home < geometry.homes; ++home)
          ASSERT_EQ(state.find(each, side, home), watched.find(each, side, home)) << step;
      }
    }
  }
}

TEST(L2State, ALineOfTheOtherSideIsKeptOnBoth) {
  L2State state = state_of(two_sides(4), 1);
  state.load(0, 0, 1);
  EXPECT_EQ(billed(state, 1).read, kBlock);
  state.load(0, 0, 2);
  EXPECT_EQ(billed(state, 2).read, 0U);
  state.load(0, 1, 3);  // one half is homed here, the other is found at its home
  EXPECT_EQ(billed(state, 3).read, 0U);
}

// 28 MiB read by all SMs fit a side of 30 MiB, 36 MiB are lost at every round: LRU under a cyclic scan.
TEST(L2State, ACyclicScanBeyondTheCapacityAlwaysMisses) {
  L2State fits = state_of(two_sides(4), 4);
  L2State exceeds = state_of(two_sides(4), 5);
  for (int round = 0; round < 3; ++round) {
    for (int block = 0; block < 5; ++block) {
      for (const int side : {0, 1}) {
        if (block < 4) fits.load(block, side, 1);
        exceeds.load(block, side, 1);
      }
    }
  }
  EXPECT_EQ(billed(fits, 1).read, 4 * kBlock);
  EXPECT_EQ(billed(exceeds, 1).read, 3 * 5 * kBlock);
}

// Of blocks of which 6.4 fit a unit some units hold 6 and some 7; of those of which 4 fit all hold 4. Small
// ones between large ones take their own space and no more.
TEST(L2State, UnitsTogetherHoldWhatTheCacheDoes) {
  constexpr int kUnits = 100;
  constexpr int kRounds = 12;
  L2Geometry geometry = one_side(4 * kUnits);
  geometry.groups = kUnits;
  ASSERT_EQ(geometry.units(), kUnits);
  for (const auto& [bytes, between] :
       {std::pair{kBlock, kBlock}, {kBlock * 5 / 8, kBlock * 5 / 8}, {kBlock, kBlock / 32}}) {
    L2State state(geometry, kUnits * kRounds);
    Bytes held = 0;
    for (int block = 0; block < kUnits * kRounds; ++block) {
      state.describe_block(block, block / kUnits % 2 == 0 ? bytes : between, block % kUnits);
      state.load(block, 0, 1);
    }
    state.visit_cached([&](std::int64_t block, int home) { held += state.share_of(block, home); });
    EXPECT_NEAR(static_cast<double>(held) / static_cast<double>(geometry.side_bytes), 1,
                between == kBlock ? 0 : 0.01);
  }
}

// One SM re-reading 40 MiB: its own side thrashes, the half that is homed on the other side still hits there.
TEST(L2State, OneSideStillFindsTheOthersHalfAtItsHome) {
  L2State state = state_of(two_sides(4), 5);
  for (int round = 0; round < 4; ++round) {
    for (int block = 0; block < 5; ++block) state.load(block, 0, 1);
  }
  EXPECT_EQ(billed(state, 1).read, 5 * kBlock + 3 * 5 * kBlock / 2);
}

TEST(L2State, ANearHitDoesNotRefreshTheHome) {
  L2State state = state_of(two_sides(2), 8);
  state.load(0, 0, 1);
  for (int block = 1; block < 8; ++block) {
    state.load(block, 1, 2);  // fills side 1 over and over
    state.load(0, 0, 3);
  }
  EXPECT_EQ(billed(state, 3).read, 0U);
  state.load(0, 1, 4);  // the half homed on side 1 is gone from there, and its copy on side 0 does not help
  EXPECT_EQ(billed(state, 4).read, kBlock / 2);
}

TEST(L2State, AWrittenBlockIsReadWithoutDramAndWrittenBackOnce) {
  L2State state = state_of(two_sides(4), 1);
  state.store(0, 0, 1);
  state.store(0, 1, 2);
  state.load(0, 0, 3);
  EXPECT_EQ(billed(state, 1).write + billed(state, 2).write + billed(state, 3).read, 0U);
  state.write_back_all();
  EXPECT_EQ(billed(state, 1).write, 0U);
  EXPECT_EQ(billed(state, 2).write, kBlock);  // who wrote it last
}

// What 7 of 16 ways are for: the limit holds in every set, however empty others are.
TEST(L2State, TheDirtyLimitIsThatOfAUnit) {
  L2Geometry geometry = two_sides(8);
  geometry.side_bytes *= 2;
  geometry.groups = 2;
  geometry.dirty_bytes = 4 * kBlock;  // 2 blocks a unit: 4 halves
  L2State state(geometry, 6);
  for (int block = 0; block < 6; ++block) state.describe_block(block, kBlock, block < 5 ? 0 : 1);
  for (int block = 0; block < 6; ++block) state.store(block, 0, 1);
  EXPECT_EQ(billed(state, 1).write, kBlock);
  EXPECT_EQ(state.early_writes(), kBlock);
}

// One side with room for four blocks: of a store and loads, the first load makes room.
TEST(L2State, ADirtyLineIsWrittenBackWhereACleanOneGoes) {
  L2State state = state_of(one_side(4), 6);
  state.store(0, 0, 1);
  for (int block = 1; block < 5; ++block) state.load(block, 0, 1);
  EXPECT_EQ(billed(state, 1).write, kBlock);
  EXPECT_EQ(state.early_writes(), 0U);
  EXPECT_EQ(state.find(0, 0, 0), L2State::Found::near);
  EXPECT_EQ(state.find(1, 0, 0), L2State::Found::dram);
  state.load(5, 0, 1);  // and the next time it goes itself
  EXPECT_EQ(state.find(0, 0, 0), L2State::Found::dram);
  EXPECT_EQ(state.find(2, 0, 0), L2State::Found::near);
}

TEST(L2State, WhereAllLinesAreDirtyTheOldestGoes) {
  L2State state = state_of(one_side(4), 6);
  for (int block = 0; block < 5; ++block) state.store(block, 0, 1);
  EXPECT_EQ(state.find(0, 0, 0), L2State::Found::dram);
  EXPECT_EQ(state.find(1, 0, 0), L2State::Found::near);
  EXPECT_EQ(billed(state, 1).write, 2 * kBlock);  // 0, and what the next store would find in its way
  state.load(5, 0, 1);                            // nor does what has just come in make room for itself
  EXPECT_EQ(state.find(5, 0, 0), L2State::Found::near);
  EXPECT_EQ(state.find(1, 0, 0), L2State::Found::dram);
}

// One side with room for four blocks, two of them dirty and the oldest.
L2State two_written_then_two_read() {
  L2State state = state_of(one_side(4), 10);
  for (const int block : {0, 1}) state.store(block, 0, 1);
  for (const int block : {2, 3}) state.load(block, 0, 1);
  return state;
}

// An H200's set of 16 lines, two of them written and then 14 read: one line more that is read takes the first
// read one, the next the first written one, the third the second read one, and so on in turn.
TEST(L2State, LoadsTakeTurnsBetweenCleanLinesAndWrittenOnes) {
  L2State state = two_written_then_two_read();
  for (const int gone : {2, 0, 3, 1}) {
    EXPECT_EQ(state.find(gone, 0, 0), L2State::Found::near) << gone;
    state.load(4 + gone, 0, 1);
    EXPECT_EQ(state.find(gone, 0, 0), L2State::Found::dram) << gone;
  }
}

// Where lines are written instead, only the first store has to pass a dirty line: each has the oldest line
// written back for the one after it.
TEST(L2State, StoresHaveTheNextDirtyLineWrittenBack) {
  L2State state = two_written_then_two_read();
  for (const int gone : {2, 0, 1, 3}) {
    EXPECT_EQ(state.find(gone, 0, 0), L2State::Found::near) << gone;
    state.store(4 + gone, 0, 2);
    EXPECT_EQ(state.find(gone, 0, 0), L2State::Found::dram) << gone;
  }
  EXPECT_EQ(billed(state, 1).write, 2 * kBlock);
}

// Of the lines beyond the dirty limit, the least recently used goes: a read of the first counts.
TEST(L2State, TheDirtyLimitCleansWhatWasUsedLongestAgo) {
  L2Geometry geometry = one_side(8);
  geometry.dirty_bytes = 2 * kBlock;
  L2State state = state_of(geometry, 4);
  state.store(0, 0, 1);
  state.store(1, 0, 2);
  state.load(0, 0, 4);
  state.store(2, 0, 3);
  EXPECT_EQ(billed(state, 2).write, kBlock);
  EXPECT_EQ(billed(state, 1).write, 0U);
}

// While write-backs queue up, a line cannot leave before its own is over, and if it is written again it has
// not been written at all.
TEST(L2State, AWriteBackUnderWayHoldsItsLine) {
  L2State state = two_written_then_two_read();
  state.begin_launch(3 * kBlock);
  state.load(4, 0, 1);  // passes 0
  state.load(5, 0, 1);  // and once more: 0 is under way
  EXPECT_EQ(state.find(0, 0, 0), L2State::Found::near);
  EXPECT_EQ(state.find(2, 0, 0), L2State::Found::dram);
  EXPECT_EQ(state.find(3, 0, 0), L2State::Found::dram);
  EXPECT_EQ(billed(state, 1).write, kBlock);
  state.store(0, 0, 2);
  EXPECT_EQ(billed(state, 1).write, 0U);
  state.begin_launch(0);
  for (const int block : {6, 7, 8}) state.load(block, 0, 1);
  state.write_back_all();
  EXPECT_EQ(billed(state, 1).write, kBlock);
  EXPECT_EQ(billed(state, 2).write, kBlock);
}

// Of three lines written in turn, with room for two dirty ones, each is written again before it has left.
TEST(L2State, WhatHasNotLeftIsNoEarlyWrite) {
  L2Geometry geometry = one_side(8);
  geometry.dirty_bytes = 2 * kBlock;
  L2State state = state_of(geometry, 3);
  state.begin_launch(16 * kBlock);
  for (int round = 0; round < 10; ++round) {
    for (int block = 0; block < 3; ++block) state.store(block, 0, 1);
  }
  EXPECT_EQ(billed(state, 1).write, kBlock);
  EXPECT_EQ(state.early_writes(), kBlock);
}

TEST(L2State, WhatIsToBeEvictedFirstGoesFirst) {
  L2State state = state_of(one_side(4), 8);
  for (const int block : {0, 1, 2}) state.load(block, 0, 1);
  for (const int block : {3, 4, 5}) state.load(block, 0, 1, L2Hint::evict_first);
  for (const int block : {0, 1, 2, 5}) EXPECT_EQ(state.find(block, 0, 0), L2State::Found::near) << block;
  state.load(6, 0, 1);
  EXPECT_EQ(state.find(5, 0, 0), L2State::Found::dram);
  EXPECT_EQ(state.find(0, 0, 0), L2State::Found::near);
}

// 3 ways of 16 keep what is to be evicted last, however much is read after it.
TEST(L2State, WhatIsToBeEvictedLastIsKeptInThreeWays) {
  L2State state = state_of(one_side(16), 64);
  for (int block = 0; block < 5; ++block) state.load(block, 0, 1, L2Hint::evict_last);
  for (int block = 5; block < 64; ++block) state.load(block, 0, 1);
  for (int block = 0; block < 5; ++block) {
    EXPECT_EQ(state.find(block, 0, 0), block < 2 ? L2State::Found::dram : L2State::Found::near) << block;
  }
}

// Of 40 MiB written to an H200, 28 MiB are still dirty in the end, and all 32 MiB that fit are still cached.
TEST(L2State, LinesBeyondTheDirtyLimitAreWrittenBackAndStay) {
  L2Geometry geometry = two_sides(8);
  geometry.dirty_bytes = 2 * kBlock;  // of each home, which has half of every block
  L2State state = state_of(geometry, 6);
  for (int block = 0; block < 6; ++block) state.store(block, 0, 1);
  EXPECT_EQ(billed(state, 1).write, 2 * kBlock);
  for (int block = 0; block < 6; ++block) state.load(block, 0, 2);
  EXPECT_EQ(billed(state, 2).read, 0U);
  state.write_back_all();
  EXPECT_EQ(billed(state, 1).write, 6 * kBlock);
}

TEST(L2State, AStoreDropsTheCopiesOfOtherSides) {
  L2Geometry behind{.sides = 2,
                    .homes = 1,
                    .home_is_a_side = false,
                    .side_bytes = 4 * kBlock,
                    .home_bytes = 4 * kBlock,
                    .stretch_bytes = kBlock,
                    .groups = 1,
                    .dirty_bytes = 4 * kBlock};
  L2State state = state_of(behind, 6);
  state.load(0, 1, 1);
  state.store(0, 0, 1);
  for (int block = 1; block < 6; ++block) state.load(block, 0, 1);  // pushes it out of the cache behind
  state.load(0, 1, 2);
  EXPECT_EQ(billed(state, 2).read, kBlock);
}

}  // namespace hbmscope
