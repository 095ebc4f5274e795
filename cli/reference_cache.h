#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "kernels/reference.h"

namespace hbmscope {

// Inputs and float64 references of the problem at hand. A reference takes seconds, and neighbouring points of
// a run differ in algorithm and tile only; so everything is kept until a point has another problem or seed.
class ReferenceCache {
 public:
  const AttentionInputs& inputs(const Problem& problem, std::int64_t seed);
  // The rows of rows_to_check(seqlen_q, br); br matters only where not all rows are checked.
  const Reference& reference(const Problem& problem, std::int64_t seed, Scores scores, std::int64_t br);

 private:
  Problem inputs_problem_;  // of inputs_; the mask does not change them
  std::int64_t inputs_seed_ = 0;
  std::optional<AttentionInputs> inputs_;
  Problem reference_problem_;
  std::int64_t reference_seed_ = 0;
  std::map<std::pair<Scores, std::int64_t>, Reference> references_;
};

}  // namespace hbmscope
