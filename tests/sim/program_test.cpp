#include "sim/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/algorithms/build.h"

namespace hbmscope {
namespace {

using namespace build;

// A program in order: a grid of tiles, a loop inside, a load and a store.
struct Example {
  Program program;
  std::vector<std::int64_t> table{1, 2, 3};
  int inner = kNone;

  Example() {
    program.algorithm = "example";
    tensor(program, "in", Role::input, 1, 8, 8, 2);
    tensor(program, "out", Role::output, 1, 8, 8, 2);
    tensor(program, "scratch", Role::workspace, 1, 8, 8, 2);
    tensor(program, "registers", Role::on_chip, 1, 8, 8, 2);
    program.tables.push(table);
    Launch& launch = program.launches.add();
    launch.name = "only";
    launch.loops.push(counted("tile", 2));
    launch.grid_loops = 1;
    inner = open_loop(launch, counted("inner", 2));
    load(launch, 0, {}, tile_of(inner, 4, 8), whole(8));
    matmul(launch, "product", tile_of(0, 4, 8), tile_of(inner, 4, 8), 8);
    close_loop(launch, inner);
    store(launch, 1, {}, tile_of(0, 4, 8), whole(8));
  }
  Launch& launch() { return program.launches[0]; }
};

struct Defect {
  const char* complaint;
  std::function<void(Example&)> make;
};

const std::vector<Defect>& defects() {
  static const std::vector<Defect> all{
      {"no such tensor", [](Example& e) { e.launch().accesses[0].tensor = 9; }},
      {"no such tensor", [](Example& e) { e.launch().accesses[0].tensor = kNone; }},
      {"lives on chip", [](Example& e) { e.launch().accesses[0].tensor = 3; }},
      {"an access reads a loop that is not open",
       [](Example& e) { e.launch().accesses[1].rows = tile_of(e.inner, 4, 8); }},
      {"an access reads a loop that is not open",
       [](Example& e) { e.launch().accesses[1].guard = {.kind = Guard::Kind::first, .loop = e.inner}; }},
      {"a guard names no loop", [](Example& e) { e.launch().accesses[0].guard.kind = Guard::Kind::last; }},
      {"no such table", [](Example& e) { e.launch().accesses[0].plane.table = 1; }},
      {"no such table", [](Example& e) { e.launch().loops[e.inner].end.table = 7; }},
      {"opens a loop of the grid", [](Example& e) { e.launch().body[0].index = 0; }},
      {"opens a loop of the grid, or one that does not exist",
       [](Example& e) { e.launch().body[0].index = 5; }},
      {"the bounds of loop inner read a loop that is not open",
       [](Example& e) {
         e.launch().loops[e.inner].end.affine = affine({{e.inner, 1}});
       }},
      {"loop inner opens twice",
       [](Example& e) {
         e.launch().body.push({Step::Kind::open_loop, e.inner});
         e.launch().body.push({Step::Kind::close_loop, e.inner});
       }},
      {"loop inner alternates with a loop that is not open",
       [](Example& e) { e.launch().loops[e.inner].walk = Walk::alternating; }},
      {"close in another order", [](Example& e) { close_loop(e.launch(), e.inner); }},
      {"a compute reads a loop that is not open",
       [](Example& e) { matmul(e.launch(), "late", tile_of(0, 4, 8), tile_of(e.inner, 4, 8), 8); }},
      {"a guard names no loop", [](Example& e) { e.launch().computes[0].guard.kind = Guard::Kind::first; }},
      {"a step names no access",
       [](Example& e) {
         e.launch().body.push({Step::Kind::access, 2});
       }},
      {"a step names no access",
       [](Example& e) {
         e.launch().body.push({Step::Kind::access, kNone});
       }},
      {"a step names no compute",
       [](Example& e) {
         e.launch().body.push({Step::Kind::compute, 1});
       }},
      {"a step names no compute",
       [](Example& e) {
         e.launch().body.push({Step::Kind::compute, kNone});
       }},
      {"a compute's operand is no such tensor",
       [](Example& e) { e.launch().computes[0].shared.push({.name = "lost", .tensor = 4}); }},
      {"a compute's operand is no such tensor",
       [](Example& e) { e.launch().computes[0].shared.push({.name = "lost", .tensor = -2}); }},
      {"the grid spans loops that do not exist", [](Example& e) { e.launch().grid_loops = 3; }},
      {"a loop is left open", [](Example& e) { open_loop(e.launch(), counted("open", 2)); }},
      {"a grid loop's bounds depend on another loop",
       [](Example& e) {
         e.launch().loops[0].end.affine = affine({{e.inner, 1}});
       }},
      {"reads scratch before anything wrote it", [](Example& e) { e.launch().accesses[0].tensor = 2; }},
      {"reads scratch before anything wrote it",
       [](Example& e) {
         e.launch().accesses[1].tensor = 2;
         e.launch().accesses[1].operation = Operation::reduce;
       }},
  };
  return all;
}

}  // namespace

TEST(CheckProgram, AcceptsWhatIsInOrder) {
  Example example;
  EXPECT_NO_THROW(check_program(example.program));
  example.launch().loops[example.inner].walk = Walk::alternating;
  example.launch().loops[example.inner].alternates_with = 0;
  EXPECT_NO_THROW(check_program(example.program));
}

TEST(CheckProgram, NamesEachDefect) {
  for (const Defect& defect : defects()) {
    Example example;
    defect.make(example);
    try {
      check_program(example.program);
      ADD_FAILURE() << "accepted: " << defect.complaint;
    } catch (const std::logic_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(defect.complaint));
      EXPECT_THAT(error.what(), testing::HasSubstr("example, launch only"));
    }
  }
}

TEST(CheckProgram, RefusesViewsOfWhatIsNotThere) {
  for (const int base : {0, 1, 3, 4, 9, -2}) {
    Example example;
    const int view = tensor(example.program, "view", Role::input, 1, 8, 4, 2);
    ASSERT_EQ(view, 4);
    example.program.tensors[view].view_of = base;
    if (base >= 0 && base < view) {
      EXPECT_NO_THROW(check_program(example.program)) << base;
    } else {
      EXPECT_THROW(check_program(example.program), std::logic_error) << base;
    }
  }
}

TEST(ValueOf, AffineRoundsDownOrUp) {
  const Indices indices{3, 5};
  EXPECT_EQ(value_of(affine({{0, 2}, {1, -1}}, 4), indices), 5);
  EXPECT_EQ(value_of(floored({{0, -1}}, 0, 2), indices), -2);
  EXPECT_EQ(value_of(ceiled({{0, -1}}, 0, 2), indices), -1);
  EXPECT_EQ(value_of(ceiled({{1, 1}}, 0, 2), indices), 3);
}

TEST(ValueOf, IndexAndBoundReadTables) {
  const Example example;
  const Indices indices{2};
  const Index index{.offset = affine({{0, 1}}), .table = 0, .position = affine({{0, 1}}), .scale = 10};
  EXPECT_EQ(value_of(index, example.program, indices), 2 + 3 * 10);
  Bound bound{.affine = affine({}, 7), .table = 0, .position = affine({{0, 1}})};
  EXPECT_EQ(value_of(bound, example.program, indices), 3);  // the smaller of the two
  bound.maximum = 1;
  EXPECT_EQ(value_of(bound, example.program, indices), 1);
  bound.minimum = 5;
  EXPECT_EQ(value_of(bound, example.program, indices), 5);
}

TEST(ValueOf, PositionsOutsideATableAreDefects) {
  const Example example;
  const Index index{.table = 0, .position = affine({{0, 1}})};
  EXPECT_THROW(value_of(index, example.program, Indices{3}), std::logic_error);
  EXPECT_THROW(value_of(index, example.program, Indices{-1}), std::logic_error);
}

TEST(BaseTensor, FollowsViews) {
  Example example;
  const int view = tensor(example.program, "view", Role::input, 1, 8, 4, 2);
  example.program.tensors[view].view_of = 0;
  EXPECT_EQ(base_tensor(example.program, view), 0);
  EXPECT_EQ(base_tensor(example.program, 1), 1);
}

}  // namespace hbmscope
