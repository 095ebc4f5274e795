#include "cli/reference_cache.h"

#include <tuple>

namespace hbmscope {
namespace {

auto shape_of(const Problem& p) {
  return std::tuple(p.batch, p.heads, p.kv_heads, p.seqlen_q, p.seqlen_kv, p.head_dim, p.head_dim_v, p.dtype);
}

bool same_problem(const Problem& a, const Problem& b) {
  return shape_of(a) == shape_of(b) && a.mask == b.mask && a.window == b.window;
}

}  // namespace

const AttentionInputs& ReferenceCache::inputs(const Problem& problem, std::int64_t seed) {
  if (!inputs_ || seed != inputs_seed_ || shape_of(problem) != shape_of(inputs_problem_)) {
    inputs_.reset();  // before the next ones are made: both may not fit
    inputs_ = make_inputs(problem, static_cast<std::uint64_t>(seed));
    inputs_problem_ = problem;
    inputs_seed_ = seed;
  }
  return *inputs_;
}

const Reference& ReferenceCache::reference(const Problem& problem, std::int64_t seed, Scores scores,
                                           std::int64_t br) {
  if (seed != reference_seed_ || !same_problem(problem, reference_problem_)) {
    references_.clear();
    reference_problem_ = problem;
    reference_seed_ = seed;
  }
  const std::pair key{scores, problem.seqlen_q <= kAllRows ? 0 : br};
  const auto found = references_.find(key);
  if (found != references_.end()) return found->second;
  return references_
      .emplace(key,
               compute_reference(problem, inputs(problem, seed), rows_to_check(problem.seqlen_q, br), scores))
      .first->second;
}

}  // namespace hbmscope
