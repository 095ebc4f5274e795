// Which case of a kernel holds for a problem.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "sim/foreign_kernel.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

// Factors of a number of CTAs that need not be known beyond `enough`.
std::int64_t product_up_to(std::int64_t enough, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product = std::min(product * std::min(factor, enough), enough);
  return product;
}

// num_splits_heuristic of FlashAttention 2 (flash_api.cpp): nothing is split if 80 % of the places are taken;
// else the fewest splits whose waves are at least 85 % as full as those of the best. Splits that leave the
// longest share as long as fewer do are no choice.
std::int64_t splits_for(std::int64_t places, std::int64_t ctas, std::int64_t kv_tiles) {
  if (5 * ctas >= 4 * places) return 1;
  constexpr std::int64_t kMostSplits = 128;
  const std::int64_t most = std::min({kMostSplits, places, kv_tiles});
  const auto is_choice = [&](std::int64_t splits) {
    return splits == 1 || ceil_div(kv_tiles, splits) != ceil_div(kv_tiles, splits - 1);
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

// Whether a kernel splits K and V of a prompt: by the rule of its cases for one query, with a row of tiles
// for each query head.
bool splits_prompt(const ForeignKernel& kernel, const Problem& problem) {
  if (!kernel.splits_prompts || problem.seqlen_q == 1) return false;
  return std::any_of(kernel.cases.begin(), kernel.cases.end(), [&](const ForeignCase& each) {
    if (!each.split || each.head_dim != problem.head_dim) return false;
    const std::int64_t ctas = product_up_to(
        each.split->places, {problem.batch, problem.heads, ceil_div(problem.seqlen_q, each.tile.br)});
    return splits_for(each.split->places, ctas, ceil_div(problem.seqlen_kv, each.tile.bc)) > 1;
  });
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

std::int64_t heads_of_section(const ForeignCase& described, const Problem& problem) {
  if (!described.section_bytes) return 0;
  const double one_head = static_cast<double>(problem.seqlen_kv) *
                          static_cast<double>(problem.head_dim + problem.head_dim_v) *
                          static_cast<double>(element_bytes(problem.dtype));
  const double fitting = std::max(1.0, static_cast<double>(*described.section_bytes) / one_head);
  const double section = std::exp2(std::floor(std::log2(fitting))) * static_cast<double>(problem.group());
  const std::int64_t heads = problem.batch * problem.heads;
  std::int64_t at_a_time = section >= static_cast<double>(heads) ? heads : static_cast<std::int64_t>(section);
  while (heads % at_a_time != 0) --at_a_time;
  return at_a_time;
}

std::int64_t splits_of(const ForeignCase& described, const Problem& problem) {
  if (!described.split) return 1;
  const std::int64_t places = described.split->places;
  const std::int64_t q_tiles = ceil_div(problem.group(), described.tile.br);
  return splits_for(places, product_up_to(places, {problem.batch, problem.kv_heads, q_tiles}),
                    ceil_div(problem.seqlen_kv, described.tile.bc));
}

std::string foreign_note(const ForeignKernel& kernel, const Problem& problem, const GpuSpec& gpu) {
  std::string note;
  const CountedOn& counted = kernel.counted_on;
  if (gpu.compute_capability != counted.compute_capability || gpu.sms != counted.sms) {
    note = fmt::format("{} on {}: CTAs per SM, persistent CTAs, splits and spills are those {} on {}",
                       kernel.name, gpu.name, kernel.counted ? "counted" : "of its source", counted.name);
  }
  if (!kernel.counted) {
    note += fmt::format("{}{} is described from its source, and its bytes were not counted",
                        note.empty() ? "" : "; ", kernel.name);
  }
  if (splits_prompt(kernel, problem)) {
    note += fmt::format(
        "{}{} splits K and V of prompts whose q tiles leave SMs idle; this one is predicted unsplit",
        note.empty() ? "" : "; ", kernel.name);
  }
  return note;
}

}  // namespace hbmscope
