// Which case of a kernel holds for a problem.
#include <algorithm>
#include <cmath>

#include "sim/foreign_kernel.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

// CTAs of a launch without splits, or, if they are more than `enough`, some number that is not less than
// that.
std::int64_t unsplit_ctas(const ForeignCase& described, const Problem& problem, std::int64_t enough) {
  const std::int64_t q_tiles = ceil_div(problem.group(), described.tile.br);
  const auto most = [&](std::int64_t count) { return std::min(count, enough); };
  return most(problem.batch) * most(problem.kv_heads) * most(q_tiles);
}

}  // namespace

const ForeignCase* find_case(const ForeignKernel& kernel, const Problem& problem) {
  const bool one_query = problem.seqlen_q == 1 && problem.mask != Mask::window;
  const ForeignCase* found = nullptr;
  for (const ForeignCase& each : kernel.cases) {
    if (each.head_dim != problem.head_dim || each.head_dim != problem.head_dim_v) continue;
    if (each.one_query != one_query || (!one_query && each.mask != problem.mask)) continue;
    if (each.split && splits_of(each, problem) > 1) return &each;
    if (!each.split) found = &each;
  }
  return found;
}

// num_splits_heuristic of FlashAttention 2 (flash_api.cpp): nothing is split if 80 % of the places are taken;
// else the fewest splits whose waves are at least 85 % as full as those of the best. Splits that leave the
// longest share as long as fewer do are no choice.
std::int64_t splits_of(const ForeignCase& described, const Problem& problem) {
  if (!described.split) return 1;
  const std::int64_t places = described.split->places;
  const std::int64_t tiles = ceil_div(problem.seqlen_kv, described.tile.bc);
  const std::int64_t ctas = unsplit_ctas(described, problem, places);
  if (5 * ctas >= 4 * places) return 1;
  constexpr std::int64_t kMostSplits = 128;
  const std::int64_t most = std::min({kMostSplits, places, tiles});
  const auto is_choice = [&](std::int64_t splits) {
    return splits == 1 || ceil_div(tiles, splits) != ceil_div(tiles, splits - 1);
  };
  const auto filled = [&](std::int64_t splits) {
    const double waves = static_cast<double>(ctas * splits) / static_cast<double>(places);
    return waves / std::ceil(waves);
  };
  double best = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits) {
    if (is_choice(splits)) best = std::max(best, filled(splits));
  }
  std::int64_t splits = 1;
  while (splits < most && (!is_choice(splits) || filled(splits) < 0.85 * best)) ++splits;
  return splits;
}

}  // namespace hbmscope
