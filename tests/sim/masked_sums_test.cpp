#include "sim/masked_sums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/algorithms/build.h"
#include "sim/traffic.h"
#include "tests/sim/programs/programs.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

using namespace build;

std::int64_t from(std::int64_t smallest, std::int64_t largest) {
  return smallest +
         static_cast<std::int64_t>(*rc::gen::resize(
             100, rc::gen::inRange<std::uint64_t>(0, static_cast<std::uint64_t>(largest - smallest + 1))));
}
bool one_in(std::int64_t n) { return from(1, n) == 1; }

// A bound that follows the outer loop: of a mask, or any other.
Bound any_bound(int outer, std::int64_t tiles) {
  const Affine form = one_in(2) ? floored({{outer, from(-6, 12)}}, from(-30, 30), from(1, 9))
                                : ceiled({{outer, from(-6, 12)}}, from(-30, 30), from(1, 9));
  return {.affine = form, .minimum = from(0, 1), .maximum = one_in(3) ? from(0, tiles) : tiles};
}

// Two loops of which the inner follows the outer, a tile of each, under a mask that need not be the loops'.
void build_masked(BuiltProgram& built) {
  Program& program = built.program;
  program.algorithm = "masked";
  Problem& problem = program.problem;
  problem.seqlen_q = from(1, 60);
  problem.seqlen_kv = from(1, 60);
  problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
  problem.window = from(1, 50);
  const std::int64_t br = from(1, 12);
  const std::int64_t bc = from(1, 12);
  const bool q_outside = one_in(2);
  tensor(program, "T", Role::input, 1, 60, 60, 1);

  Launch& launch = program.launches.add();
  launch.name = "masked";
  const std::int64_t q_tiles = ceil_div(problem.seqlen_q, br);
  const std::int64_t kv_tiles = ceil_div(problem.seqlen_kv, bc);
  const int outer = launch.loops.push(counted("outer", q_outside ? q_tiles : kv_tiles));
  launch.loops.push(counted("head", from(1, 3)));
  launch.grid_loops = 2;
  Loop loop = q_outside ? visible_kv_tiles(problem, outer, br, bc) : seeing_q_tiles(problem, outer, br, bc);
  if (one_in(2)) loop.begin = any_bound(outer, q_outside ? kv_tiles : q_tiles);
  if (one_in(2)) loop.end = any_bound(outer, q_outside ? kv_tiles : q_tiles);
  const int inner = open_loop(launch, loop);
  const Range queries = tile_of(q_outside ? outer : inner, br, problem.seqlen_q);
  const Range keys = tile_of(q_outside ? inner : outer, bc, problem.seqlen_kv);
  load(launch, 0, {}, queries, whole(1));
  load(launch, 0, {}, keys, whole(2));
  load(launch, 0, {}, queries, keys);
  Compute& product = matmul(launch, "S", queries, keys, 1);
  if (one_in(3)) {
    const Guard guard{.kind = *rc::gen::element(Guard::Kind::first, Guard::Kind::not_first, Guard::Kind::last,
                                                Guard::Kind::not_last),
                      .loop = one_in(2) ? inner : outer};
    product.guard = guard;
    launch.accesses[1].guard = guard;
  }
  close_loop(launch, inner);
}

}  // namespace

TEST(MaskedSums, AreSumsOverTheIterations) {
  EXPECT_TRUE(rc::check([] {
    for (int repeat = 0; repeat < 20; ++repeat) {
      BuiltProgram built;
      build_masked(built);
      Traffic closed;
      count_traffic(built.program, closed);
      Traffic replayed;
      replay_traffic(built.program, replayed);
      RC_ASSERT(closed.launches[0].tensors[0].l2.read == replayed.launches[0].tensors[0].l2.read);
      RC_ASSERT(closed.launches[0].tensors[0].compulsory.read ==
                replayed.launches[0].tensors[0].compulsory.read);
      RC_ASSERT(closed.launches[0].flops == replay_arithmetic(built.program).flops);
    }
  }));
}

RC_GTEST_PROP(FloorSum, IsTheSum, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(0, 50);
  const auto a = *rc::gen::inRange<std::uint64_t>(0, 50);
  const auto b = *rc::gen::inRange<std::uint64_t>(0, 50);
  const auto m = *rc::gen::inRange<std::uint64_t>(1, 50);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sum += (a * i + b) / m;
  RC_ASSERT(floor_sum(n, a, b, m) == sum);
}

// At the largest sizes the closed form must neither wrap nor lose a pair: rows of one key more each.
TEST(MaskedSums, LargestCausalSquareIsATriangle) {
  Program program;
  program.algorithm = "largest";
  program.problem = {.seqlen_q = kLargestSize, .seqlen_kv = kLargestSize, .mask = Mask::causal};
  Launch& launch = program.launches.add();
  launch.name = "largest";
  const int outer = launch.loops.push(counted("q tile", kLargestSize / 128));
  launch.grid_loops = 1;
  const int inner = open_loop(launch, visible_kv_tiles(program.problem, outer, 128, 64));
  matmul(launch, "S", tile_of(outer, 128, kLargestSize), tile_of(inner, 64, kLargestSize), 1);
  close_loop(launch, inner);
  Traffic traffic;
  count_traffic(program, traffic);
  const auto n = static_cast<std::uint64_t>(kLargestSize);
  EXPECT_EQ(traffic.launches[0].flops, 2 * (n / 2) * (n + 1));
  // q tile i runs 2 (i + 1) steps of 128 x 64 pairs.
  const std::uint64_t tiles = n / 128;
  EXPECT_EQ(traffic.launches[0].executed_flops, std::uint64_t{2} * 128 * 64 * (tiles * (tiles + 1)));
}

}  // namespace hbmscope::test
