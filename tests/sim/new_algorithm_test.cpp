// An algorithm that hbmscope does not know, written down in a test: everything else follows from its program.
#include <gtest/gtest.h>

#include "sim/algorithms/build.h"
#include "sim/l2/l2_model.h"
#include "sim/stream.h"
#include "sim/traffic.h"
#include "sim/units.h"
#include "tests/sim/programs/programs.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

// Two passes over K: the first keeps only the log-sum-exp of every row, the second computes the scores again
// and weighs V with them. K is scanned in alternating direction, so that its end is still in the cache.
void build_two_pass(const Plan& plan, BuiltProgram& built) {
  using namespace build;
  const auto& [problem, tile, order, walk] = plan;
  Program& program = built.program;
  program.algorithm = "two pass";
  program.problem = problem;
  const ForwardTensors tensors = add_forward_tensors(problem, program);
  for (const bool first_pass : {true, false}) {
    Launch& launch = program.launches.add();
    launch.name = first_pass ? "log-sum-exp" : "outputs";
    const QueryGrid grid = query_grid(launch, problem, tile.br, false);
    load(launch, tensors.q, grid.query_plane, grid.query_rows, whole(problem.head_dim));
    if (!first_pass) load(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
    Loop tiles = counted("kv tile", ceil_div(problem.seqlen_kv, tile.bc));
    tiles.walk = Walk::alternating;
    tiles.alternates_with = grid.q_tile;
    const int kv_tile = open_loop(launch, tiles);
    const Range keys = tile_of(kv_tile, tile.bc, problem.seqlen_kv);
    load(launch, tensors.k, grid.key_value_plane, keys, whole(problem.head_dim));
    matmul(launch, "S = Q Kᵀ", grid.query_rows, keys, problem.head_dim);
    softmax(launch, "P = exp(S − m)", grid.query_rows, keys, 1, 0);
    if (!first_pass) {
      load(launch, tensors.v, grid.key_value_plane, keys, whole(problem.head_dim_v));
      matmul(launch, "O = O + P V", grid.query_rows, keys, problem.head_dim_v);
    }
    close_loop(launch, kv_tile);
    if (first_pass) {
      store(launch, tensors.lse, grid.query_plane, grid.query_rows, whole(1));
    } else {
      store(launch, tensors.o, grid.query_plane, grid.query_rows, whole(problem.head_dim_v));
    }
  }
}

// 2 heads, 3 q tiles of 100 rows over 250 keys, the last tile of 50 rows.
constexpr std::uint64_t kHeads = 2;
constexpr std::uint64_t kRows = 250;
constexpr std::uint64_t kTiles = 3;
constexpr std::uint64_t kDim = 64;

void build_example(BuiltProgram& built) {
  Plan plan;
  plan.problem = {
      .heads = 2, .kv_heads = 2, .seqlen_q = 250, .seqlen_kv = 250, .head_dim = 64, .head_dim_v = 64};
  plan.tile = {.br = 100, .bc = 100};
  build_two_pass(plan, built);
  check_program(built.program);
}

}  // namespace

TEST(NewAlgorithm, TotalsAreAsDerivedByHand) {
  BuiltProgram built;
  build_example(built);
  Traffic traffic;
  count_traffic(built.program, traffic);
  const ReadWrite first = total_of(traffic.launches[0]).l2;
  EXPECT_EQ(first.read, kHeads * (1 + kTiles) * kRows * kDim * 2);  // Q once, K for each q tile
  EXPECT_EQ(first.write, kHeads * kRows * 4);                       // LSE
  const ReadWrite second = total_of(traffic.launches[1]).l2;
  EXPECT_EQ(second.read, kHeads * ((1 + 2 * kTiles) * kRows * kDim * 2 + kRows * 4));
  EXPECT_EQ(second.write, kHeads * kRows * kDim * 2);
  // The second pass finds Q, K and LSE in the cache.
  EXPECT_EQ(total_of(traffic.launches[0]).compulsory.read, kHeads * 2 * kRows * kDim * 2);
  EXPECT_EQ(total_of(traffic.launches[1]).compulsory.read, kHeads * kRows * kDim * 2);
  EXPECT_EQ(total_of(traffic).compulsory.write, kHeads * (kRows * 4 + kRows * kDim * 2));
  // Three products over whole tiles and over the pairs that count; an exponential for each score and pass.
  EXPECT_EQ(traffic.launches[0].flops + traffic.launches[1].flops, kHeads * 3 * 2 * kDim * kRows * kRows);
  EXPECT_EQ(traffic.launches[1].executed_flops, kHeads * 2 * 2 * kDim * 300 * 300);
  EXPECT_EQ(traffic.launches[0].exponentials, kHeads * 300 * 300);
}

TEST(NewAlgorithm, IsReplayedLikeAnyOther) {
  BuiltProgram built;
  build_example(built);
  Traffic closed;
  count_traffic(built.program, closed);
  Traffic replayed;
  replay_traffic(built.program, replayed);
  EXPECT_EQ(total_of(closed).io.read, total_of(replayed).io.read);
  EXPECT_EQ(total_of(closed).compulsory.read, total_of(replayed).compulsory.read);
  std::vector<std::int64_t> first_keys;
  visit_stream(built.program, [&](const TileAccess& access) {
    if (access.launch == 0 && access.plane == 0 && access.tensor == 1)
      first_keys.push_back(access.rows.begin);
  });
  EXPECT_EQ(first_keys, (std::vector<std::int64_t>{0, 100, 200, 200, 100, 0, 0, 100, 200}));
}

// With a cache of the size of K, which Q, V and O share, scanning back and forth finds again what scanning up
// has lost.
TEST(NewAlgorithm, AlternatingScansSaveHbmReads) {
  BuiltProgram alternating;
  build_example(alternating);
  BuiltProgram upwards;
  build_example(upwards);
  for (Launch& launch : upwards.program.launches) launch.loops.back().walk = Walk::up;
  const std::uint64_t size_of_k = kRows * kDim * 2;
  EXPECT_LT(SegmentStream(alternating.program).replay(size_of_k).load_bytes,
            SegmentStream(upwards.program).replay(size_of_k).load_bytes);
}

}  // namespace hbmscope::test
