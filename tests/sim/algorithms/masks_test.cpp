// What the masks mean, pair by pair, against what programs compute: every tile with a visible pair, and under
// a mask that a program honours no other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "sim/algorithms/algorithm.h"
#include "tests/sim/random_programs.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

using Tiles = std::multiset<std::pair<std::int64_t, std::int64_t>>;  // first query, first key

// Query i sees keys up to i + Nkv − Nq, and of those the last W under a window.
bool sees(const Problem& problem, std::int64_t query, std::int64_t key) {
  const std::int64_t last = query + problem.seqlen_kv - problem.seqlen_q;
  if (problem.mask == Mask::full) return true;
  return key <= last && (problem.mask == Mask::causal || key > last - problem.window);
}

bool any_pair_in(const Problem& problem, const Tile& tile, std::int64_t first_query, std::int64_t first_key) {
  for (std::int64_t query = first_query; query < std::min(first_query + tile.br, problem.seqlen_q); ++query) {
    for (std::int64_t key = first_key; key < std::min(first_key + tile.bc, problem.seqlen_kv); ++key) {
      if (sees(problem, query, key)) return true;
    }
  }
  return false;
}

// The tiles that hold a visible pair, once for each head.
Tiles visible_tiles(const Plan& plan) {
  const auto& problem = plan.problem;
  Tiles tiles;
  for (std::int64_t query = 0; query < problem.seqlen_q; query += plan.tile.br) {
    for (std::int64_t key = 0; key < problem.seqlen_kv; key += plan.tile.bc) {
      if (!any_pair_in(problem, plan.tile, query, key)) continue;
      for (std::int64_t head = 0; head < problem.batch * problem.heads; ++head) tiles.emplace(query, key);
    }
  }
  return tiles;
}

// One query of every sequence: kernels that others built take the query heads of a KV head for its rows.
Plan packed(Plan plan) {
  Problem& problem = plan.problem;
  problem.seqlen_q = problem.group();
  problem.heads = problem.kv_heads;
  problem.mask = Mask::full;
  return plan;
}

}  // namespace

RC_GTEST_PROP(Masks, VisiblePairsAreThosePairByPair, ()) {
  const Problem problem = (*any_plan()).problem;
  std::uint64_t pairs = 0;
  for (std::int64_t query = 0; query < problem.seqlen_q; ++query) {
    for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) pairs += sees(problem, query, key);
  }
  RC_ASSERT(visible_pairs(problem, 0, problem.seqlen_q, 0, problem.seqlen_kv) == pairs);
}

// Tiled algorithms, forward and backward, compute exactly the tiles that a mask leaves something of.
RC_GTEST_PROP(Masks, TiledAlgorithmsComputeVisibleTilesOnly, ()) {
  const Plan plan = *any_plan();
  for (const char* name : {"flash1", "flash2"}) {
    const Algorithm& algorithm = find_algorithm(name);
    for (const Variant& variant : algorithm.variants) {
      const Plan taken = taken_of(variant, plan);
      Program program;
      build_program(algorithm, variant, taken, program);
      std::map<std::pair<const Launch*, const Compute*>, Tiles> computed;
      visit_computes(program, Extents::whole,
                     [&](const Launch& launch, const Compute& compute, const ComputedTile& tile) {
                       if (compute.kind != ComputeKind::matmul) return;
                       computed[{&launch, &compute}].emplace(tile.queries.begin, tile.keys.begin);
                     });
      RC_LOG(std::string(name) + " " + std::string(variant.name));
      const bool packs = variant.implied != nullptr && taken.problem.seqlen_q == 1;
      const Tiles visible = visible_tiles(packs ? packed(taken) : taken);
      for (const auto& [compute, tiles] : computed) RC_ASSERT(tiles == visible);
      RC_ASSERT(computed.empty() == visible.empty());
    }
  }
}

// Unfused attention computes the whole square under a mask: masks change no byte.
RC_GTEST_PROP(Masks, UnfusedAlgorithmsMoveTheSameUnderEveryMask, ()) {
  const Plan plan = *any_plan();
  for (const Algorithm* algorithm : algorithms()) {
    if (!algorithm->name.starts_with("standard")) continue;
    for (const Variant& variant : algorithm->variants) {
      const auto bytes_under = [&](Mask mask) {
        Plan masked = taken_of(variant, plan);
        masked.problem.mask = mask;
        masked.problem.window = mask == Mask::window ? 3 : 0;
        Program program;
        Traffic traffic;
        build_program(*algorithm, variant, masked, program);
        count_traffic(program, traffic);
        const TensorTraffic total = total_of(traffic);
        return std::array{total.io.read,  total.io.write,        total.l2.read,
                          total.l2.write, total.compulsory.read, total.compulsory.write};
      };
      RC_LOG(std::string(algorithm->name) + " " + std::string(variant.name));
      RC_ASSERT(bytes_under(Mask::causal) == bytes_under(Mask::full));
      RC_ASSERT(bytes_under(Mask::window) == bytes_under(Mask::full));
    }
  }
}

}  // namespace hbmscope::test
