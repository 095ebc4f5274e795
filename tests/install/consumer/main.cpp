#include <cstdint>
#include <iostream>

#include "sim/predict.h"

// flash2 on 128 queries and keys of 64 bf16 elements, tile 64 x 64: two query tiles read all of K and V each.
int main() {
  constexpr std::uint64_t kMatrixBytes = 128 * 64 * 2;
  constexpr std::uint64_t kLseBytes = 128 * 4;

  hbmscope::Point point{.gpu = "h200", .algorithm = "flash2", .variant = "mma"};
  point.problem = {.batch = 1, .heads = 1, .kv_heads = 1, .seqlen_q = 128, .seqlen_kv = 128};
  point.problem.head_dim = point.problem.head_dim_v = 64;
  point.tile = {.br = 64, .bc = 64};
  const hbmscope::Record record = hbmscope::predict_record(point);

  const std::uint64_t l2_read = record.prediction->l2_read_bytes;
  const std::uint64_t l2_write = record.prediction->l2_write_bytes;
  std::cout << "l2 read " << l2_read << " bytes, l2 write " << l2_write << " bytes\n";
  return l2_read == 5 * kMatrixBytes && l2_write == kMatrixBytes + kLseBytes ? 0 : 1;
}
