#include "sim/stream.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/algorithms/build.h"
#include "tests/sim/programs/programs.h"

namespace hbmscope {
namespace {

using namespace build;

// One tensor of single rows; the access tells which loop indices it was issued at by its plane and row.
struct Walked {
  Program program;
  Launch* launch = nullptr;

  Walked() {
    program.algorithm = "walked";
    tensor(program, "T", Role::input, 100, 100, 1, 2);
    launch = &program.launches.add();
    launch->name = "walked";
  }
  void touch(int plane_loop, int row_loop, const Guard& guard = {}) {
    Access& access = load(*launch, 0, plane({{plane_loop, 1}}),
                          {.start = affine({{row_loop, 1}}), .limit = fixed(100)}, whole(1));
    access.guard = guard;
  }
  // plane * 10 + row of every access.
  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> seen;
    visit_stream(program,
                 [&](const TileAccess& access) { seen.push_back(access.plane * 10 + access.rows.begin); });
    return seen;
  }
};

using Seen = std::vector<std::int64_t>;

}  // namespace

TEST(Stream, GridsFirstLoopRunsFastest) {
  Walked walked;
  walked.launch->loops.push(counted("fast", 2));
  walked.launch->loops.push(counted("slow", 3));
  walked.launch->grid_loops = 2;
  walked.touch(1, 0);
  EXPECT_EQ(walked.order(), (Seen{0, 1, 10, 11, 20, 21}));
}

TEST(Stream, LoopsWalkUpDownAndAlternating) {
  for (const auto& [walk, expected] : {std::pair{Walk::up, Seen{0, 1, 2, 10, 11, 12, 20, 21, 22}},
                                       std::pair{Walk::down, Seen{2, 1, 0, 12, 11, 10, 22, 21, 20}},
                                       std::pair{Walk::alternating, Seen{0, 1, 2, 12, 11, 10, 20, 21, 22}}}) {
    Walked walked;
    walked.launch->loops.push(counted("tile", 3));
    walked.launch->grid_loops = 1;
    Loop inner = counted("inner", 3);
    inner.walk = walk;
    inner.alternates_with = 0;
    const int loop = open_loop(*walked.launch, inner);
    walked.touch(0, loop);
    close_loop(*walked.launch, loop);
    EXPECT_EQ(walked.order(), expected);
  }
}

// An innermost loop of few accesses is prepared as a whole, one of more is not: what both have comes in the
// same order, rows before the first and beyond the limit left out.
TEST(Stream, APreparedLoopIsWhatItsTurnsAre) {
  for (const Walk walk : {Walk::up, Walk::down, Walk::alternating}) {
    const auto order_of = [&](int accesses) {
      Walked walked;
      const int outer = open_loop(*walked.launch, counted("outer", 3));
      Loop described = counted("inner", 4);
      described.walk = walk;
      described.alternates_with = outer;
      described.begin = {.affine = affine({{outer, 1}}, -1), .minimum = 0, .maximum = 4};
      const int inner = open_loop(*walked.launch, described);
      for (int number = 0; number < accesses; ++number) {
        Access& access = load(*walked.launch, 0, plane({{outer, 1}}),
                              {.start = affine({{inner, 2}, {outer, -1}}, number - 3),
                               .extent = 2,
                               .limit = {.affine = affine({{outer, 1}}, 4)}},
                              whole(1));
        if (number == 1) access.guard = {.kind = Guard::Kind::not_first, .loop = outer};
      }
      close_loop(*walked.launch, inner);
      close_loop(*walked.launch, outer);
      Seen seen;
      visit_stream(walked.program, [&](const TileAccess& access) {
        if (access.access < kMostMovingAccesses) {
          seen.push_back(access.access * 1000 + access.plane * 100 + access.rows.begin * 10 +
                         access.rows.end);
        }
      });
      return seen;
    };
    const Seen prepared = order_of(kMostMovingAccesses);
    EXPECT_GT(prepared.size(), 20U);
    EXPECT_EQ(prepared, order_of(kMostMovingAccesses + 1));
  }
}

TEST(Stream, GridLoopsMayWalkDown) {
  Walked walked;
  Loop tiles = counted("tile", 3);
  tiles.walk = Walk::down;
  walked.launch->loops.push(tiles);
  walked.launch->loops.push(counted("head", 2));
  walked.launch->grid_loops = 2;
  walked.touch(1, 0);
  EXPECT_EQ(walked.order(), (Seen{2, 1, 0, 12, 11, 10}));
}

TEST(Stream, GuardsFollowTheDirection) {
  using Kind = Guard::Kind;
  for (const auto& [kind, walk, expected] :
       {std::tuple{Kind::first, Walk::up, Seen{0}}, std::tuple{Kind::first, Walk::down, Seen{2}},
        std::tuple{Kind::last, Walk::up, Seen{2}}, std::tuple{Kind::last, Walk::down, Seen{0}},
        std::tuple{Kind::not_first, Walk::up, Seen{1, 2}},
        std::tuple{Kind::not_first, Walk::down, Seen{1, 0}}, std::tuple{Kind::not_last, Walk::up, Seen{0, 1}},
        std::tuple{Kind::not_last, Walk::down, Seen{2, 1}}}) {
    Walked walked;
    walked.launch->loops.push(counted("tile", 1));
    walked.launch->grid_loops = 1;
    Loop inner = counted("inner", 3);
    inner.walk = walk;
    const int loop = open_loop(*walked.launch, inner);
    walked.touch(0, loop, {.kind = kind, .loop = loop});
    close_loop(*walked.launch, loop);
    EXPECT_EQ(walked.order(), expected);
  }
}

TEST(Stream, ConditionsAndEmptyTilesLeaveAccessesOut) {
  Walked walked;
  walked.launch->loops.push(counted("tile", 4));
  walked.launch->grid_loops = 1;
  walked.touch(0, 0, {.kind = Guard::Kind::when_not_negative, .condition = affine({{0, 1}}, -2)});
  load(*walked.launch, 0, {}, {.start = affine({{0, 2}}), .extent = 2, .limit = fixed(3)}, whole(1));
  EXPECT_EQ(walked.order(), (Seen{0, 2, 22, 33}));
}

TEST(Stream, LongestFirstIsStable) {
  Walked walked;
  walked.launch->loops.push(counted("tile", 4));
  walked.launch->grid_loops = 1;
  walked.launch->schedule = Schedule::longest_first;
  // Trips 1, 1, 2, 2 of tiles 0 … 3.
  const int loop = open_loop(
      *walked.launch, {.name = "inner", .begin = fixed(0), .end = {.affine = floored({{0, 1}}, 2, 2)}});
  walked.touch(0, loop);
  close_loop(*walked.launch, loop);
  EXPECT_EQ(walked.order(), (Seen{20, 21, 30, 31, 0, 10}));
  const LaunchBody body(walked.program, 0);
  EXPECT_EQ(body.items(), 4);
  EXPECT_EQ(body.iterations_of(0), 1U);
  EXPECT_EQ(body.iterations_of(3), 2U);
}

TEST(Stream, NestedIterationsCount) {
  Walked walked;
  walked.launch->loops.push(counted("tile", 1));
  walked.launch->grid_loops = 1;
  const int outer = open_loop(*walked.launch, counted("outer", 3));
  const int inner = open_loop(*walked.launch,
                              {.name = "inner", .begin = fixed(0), .end = {.affine = affine({{outer, 1}})}});
  walked.touch(0, inner);
  close_loop(*walked.launch, inner);
  close_loop(*walked.launch, outer);
  EXPECT_EQ(LaunchBody(walked.program, 0).iterations_of(0), 3U + (0 + 1 + 2));
}

TEST(Stream, CursorsRunSideBySide) {
  Walked walked;
  walked.launch->loops.push(counted("tile", 2));
  walked.launch->grid_loops = 1;
  const int loop = open_loop(*walked.launch, counted("inner", 2));
  walked.touch(0, loop);
  close_loop(*walked.launch, loop);
  const LaunchBody body(walked.program, 0);
  std::vector<CtaCursor> cursors{{body, 0}, {body, 1}};
  Seen seen;
  for (int turn = 0; turn < 2; ++turn) {
    for (CtaCursor& cursor : cursors) {
      const TileAccess* access = cursor.next();
      ASSERT_NE(access, nullptr);
      seen.push_back(access->plane * 10 + access->rows.begin);
    }
  }
  EXPECT_EQ(seen, (Seen{0, 10, 1, 11}));
  for (CtaCursor& cursor : cursors) EXPECT_EQ(cursor.next(), nullptr);
}

}  // namespace hbmscope
