#pragma once

#include "sim/algorithms/algorithm.h"
#include "sim/algorithms/build.h"

namespace hbmscope {

struct ScoreLoops {
  build::QueryGrid grid;
  int kv_tile;
};

// S = Q Kᵀ / sqrt(d) of the mma kernels: a CTA walks over the kv tiles, which cover the padded rows of S;
// under a mask the whole square is computed. The loop over the kv tiles is left open. Threads, shared memory
// and operands are described if `described`.
ScoreLoops open_scores(const Plan& plan, int q, int k, int s, bool described, Launch& launch);

}  // namespace hbmscope
