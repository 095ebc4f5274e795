#pragma once

namespace hbmscope {

// Row statistics (l and m: one float for each query) that travel through memory. Their rows are padded to
// sectors of 8 floats, and the padding is stored and loaded like the rest: a warp moves 8 rows as one whole
// sector.
inline constexpr int kStatisticsMultiple = 8;
constexpr long long statistics_columns(long long seqlen_q) {
  return (seqlen_q + kStatisticsMultiple - 1) / kStatisticsMultiple * kStatisticsMultiple;
}

}  // namespace hbmscope
