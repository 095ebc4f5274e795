#include <cstdint>
#include <iostream>

#include "sim/problem.h"

// A causal 4 × 4 square lets 1 + 2 + 3 + 4 pairs through.
int main() {
  const hbmscope::Problem problem{.seqlen_q = 4, .seqlen_kv = 4, .mask = hbmscope::Mask::causal};
  const std::uint64_t pairs = hbmscope::visible_pairs(problem, 0, 4, 0, 4);
  std::cout << "visible pairs: " << pairs << '\n';
  return pairs == 10 ? 0 : 1;
}
