// The identities again for programs that no kernel would run: any nesting of loops, gaps, overlaps, steps
// backwards, rounding, tables, guards and directions. They find what well-behaved tiles cannot.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "sim/algorithms/build.h"
#include "sim/traffic.h"
#include "tests/sim/programs/programs.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

using namespace build;

constexpr std::int64_t kMostTrips = 4;  // no loop's index exceeds it
constexpr std::int64_t kPlanes = 44;
constexpr std::int64_t kRows = 120;
constexpr std::int64_t kColumns = 60;

std::int64_t from(std::int64_t smallest, std::int64_t largest) {
  return smallest +
         static_cast<std::int64_t>(*rc::gen::resize(
             100, rc::gen::inRange<std::uint64_t>(0, static_cast<std::uint64_t>(largest - smallest + 1))));
}
bool one_in(std::int64_t n) { return from(1, n) == 1; }

// A form of at most three of the open loops.
Affine any_affine(const OpenLoops& open, std::int64_t smallest_factor, std::int64_t largest_factor,
                  std::int64_t smallest, std::int64_t largest) {
  Affine form{.constant = from(smallest, largest)};
  for (int term = 0; term < 3 && !open.empty(); ++term) {
    const int loop = open[static_cast<int>(from(0, open.count() - 1))];
    form.terms[static_cast<std::size_t>(form.count++)] = {loop, from(smallest_factor, largest_factor)};
  }
  form.divisor = one_in(4) ? from(2, 3) : 1;
  form.round_up = one_in(2);
  return form;
}

Loop any_loop(const OpenLoops& open, bool grid, int table) {
  Loop loop = counted("loop", from(grid ? 1 : 0, kMostTrips));
  if (!grid && one_in(3)) loop.begin = {.affine = any_affine(open, -1, 1, -1, 2), .maximum = kMostTrips};
  if (!grid && one_in(3)) loop.end = {.affine = any_affine(open, -2, 2, 0, 4), .maximum = kMostTrips};
  if (!grid && one_in(4)) {
    loop.end.table = table;
    if (!open.empty()) loop.end.position = affine({{open.back(), 1}});
  }
  loop.walk = *rc::gen::element(Walk::up, Walk::up, Walk::down, Walk::alternating);
  if (loop.walk == Walk::alternating && open.empty()) loop.walk = Walk::down;
  if (loop.walk == Walk::alternating) loop.alternates_with = open.back();
  return loop;
}

Guard any_guard(const OpenLoops& open) {
  using Kind = Guard::Kind;
  Guard guard;
  if (open.empty() || one_in(2)) return guard;
  guard.kind =
      *rc::gen::element(Kind::first, Kind::not_first, Kind::last, Kind::not_last, Kind::when_not_negative);
  if (guard.kind == Kind::when_not_negative) {
    guard.condition = any_affine(open, -2, 2, -2, 3);
  } else {
    guard.loop = open[static_cast<int>(from(0, open.count() - 1))];
  }
  return guard;
}

// A range whose start steps by its extent through some loops (which merge) or in any other way.
Range any_range(const OpenLoops& open, std::int64_t largest_limit) {
  Range range{.extent = from(1, 3)};
  range.start = any_affine(open, -3, 4, -2, 5);
  if (!open.empty() && one_in(2)) {
    const std::int64_t inner = range.extent;
    range.start = affine({{open.back(), inner}});
    if (open.count() > 1 && one_in(2)) {
      range.start = affine({{open.back(), inner}, {open[open.count() - 2], inner * from(1, kMostTrips)}});
    }
  }
  range.limit = one_in(4) ? Bound{.affine = any_affine(open, 0, 4, 0, 20), .maximum = largest_limit}
                          : fixed(from(1, largest_limit));
  return range;
}

// Of which the innermost loop moves nothing but rows: cursors prepare such loops as a whole.
void push_plain_access(Launch& launch, const OpenLoops& open) {
  OpenLoops outer(open);
  outer.pop();
  Range rows = any_range(open, 60);
  rows.start.divisor = 1;
  rows.limit =
      one_in(4) ? Bound{.affine = any_affine(outer, 0, 4, 0, 20), .maximum = 60} : fixed(from(1, 60));
  const Index where{.offset = any_affine(outer, 0, 3, 0, 2)};
  const int tensor = static_cast<int>(from(0, 1));
  Access& access = tensor == 0 ? load(launch, tensor, where, rows, whole(from(1, kColumns)))
                               : store(launch, tensor, where, rows, whole(from(1, kColumns)));
  access.guard = any_guard(outer);
}

void push_access(Launch& launch, const OpenLoops& open, int table) {
  if (!open.empty() && one_in(2)) {
    push_plain_access(launch, open);
    return;
  }
  // Tensor 0 is read or added to, 1 and 2 are written; 2 has been cleared, so that it may be added to.
  const int tensor = static_cast<int>(from(0, 2));
  Index where{.offset = any_affine(open, 0, 3, 0, 2)};
  const Range rows = any_range(open, 60);
  const Range columns = one_in(2) ? any_range(open, kColumns) : whole(from(1, kColumns));
  Access& access = tensor == 0 && one_in(4) ? reduce(launch, tensor, where, rows, columns)
                   : tensor == 0            ? load(launch, tensor, where, rows, columns)
                   : tensor == 1            ? store(launch, tensor, where, rows, columns)
                                            : reduce(launch, tensor, where, rows, columns);
  access.guard = any_guard(open);
  if (!open.empty() && one_in(4)) {
    access.plane = {
        .offset = affine({}, from(0, 3)), .table = table, .position = affine({{open.back(), 1}}), .scale = 2};
  }
  if (one_in(3)) {
    access.rows_placed = true;
    access.place.offset = any_affine(open, 0, 5, 0, 9);
    if (!open.empty() && one_in(2)) {
      access.place.table = table;
      access.place.position = affine({{open.back(), 1}});
      access.place.scale = from(1, 5);
    }
  }
}

void push_matmul(Launch& launch, const OpenLoops& open) {
  matmul(launch, "product", any_range(open, 60), any_range(open, kColumns), from(1, 4)).guard =
      any_guard(open);
}

void build_any_launch(int table, Launch& launch) {
  launch.name = "any";
  launch.schedule = *rc::gen::element(Schedule::hardware, Schedule::longest_first);
  const auto grid_loops = from(0, 2);
  OpenLoops open;
  for (std::int64_t loop = 0; loop < grid_loops; ++loop) launch.loops.push(any_loop({}, true, table));
  launch.grid_loops = static_cast<int>(grid_loops);
  for (int loop = launch.grid_loops - 1; loop >= 0; --loop) open.push(loop);
  std::vector<int> opened;
  const auto loops = from(0, 3);
  for (std::int64_t depth = 0; depth < loops; ++depth) {
    if (one_in(3)) push_access(launch, open, table);
    opened.push_back(open_loop(launch, any_loop(open, false, table)));
    open.push(opened.back());
  }
  push_access(launch, open, table);
  push_access(launch, open, table);
  push_matmul(launch, open);
  while (!opened.empty()) {
    close_loop(launch, opened.back());
    open.pop();
    opened.pop_back();
    if (one_in(3)) push_access(launch, open, table);
  }
}

void build_any(BuiltProgram& built) {
  Program& program = built.program;
  program.algorithm = "any";
  program.problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
  program.problem.window = from(1, 40);
  program.problem.seqlen_q = from(1, 60);
  program.problem.seqlen_kv = from(1, 60);
  tensor(program, "read", Role::input, kPlanes, kRows, kColumns, 2);
  tensor(program, "written", Role::output, kPlanes, kRows, kColumns, 1);
  tensor(program, "summed", Role::output, kPlanes, kRows, kColumns, 4);
  std::vector<std::int64_t> values(static_cast<std::size_t>(kMostTrips + 1));
  for (std::int64_t& value : values) value = from(0, kMostTrips);
  const int table = add_table(built, values);
  Launch& clear = program.launches.add();
  clear.name = "clear";
  clear.loops.push(counted("plane", kPlanes));
  clear.grid_loops = 1;
  store(clear, 2, plane({{0, 1}}), whole(kRows), whole(kColumns));
  const auto launches = from(1, 2);
  for (std::int64_t launch = 0; launch < launches; ++launch) {
    build_any_launch(table, program.launches.add());
  }
}

}  // namespace

TEST(RandomLoops, ClosedFormsAreSumsOverTheStream) {
  EXPECT_TRUE(rc::check([] {
    BuiltProgram built;
    build_any(built);
    check_program(built.program);
    Traffic closed;
    count_traffic(built.program, closed);
    Traffic replayed;
    replay_traffic(built.program, replayed);
    std::uint64_t flops = 0;
    for (const LaunchTraffic& launch : closed.launches) flops += launch.flops;
    RC_ASSERT(flops == replay_arithmetic(built.program).flops);
    for (int launch = 0; launch < built.program.launches.count(); ++launch) {
      for (int t = 0; t < 3; ++t) {
        const TensorTraffic& a = closed.launches[launch].tensors[t];
        const TensorTraffic& b = replayed.launches[launch].tensors[t];
        RC_ASSERT(a.l2.read == b.l2.read);
        RC_ASSERT(a.l2.write == b.l2.write);
        RC_ASSERT(a.io.read == b.io.read);
        RC_ASSERT(a.io.write == b.io.write);
        RC_ASSERT(a.compulsory.read == b.compulsory.read);
        RC_ASSERT(a.compulsory.write == b.compulsory.write);
      }
    }
  }));
}

}  // namespace hbmscope::test
