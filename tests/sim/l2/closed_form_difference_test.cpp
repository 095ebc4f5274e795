// The closed form against the replay. No independent test: docs/model.md says which of its choices, and which
// of these lines, were made with the differences in view. tests/data/replayed_h200.csv,
// the lines of configs/sweeps/l2_modes.txt by scripts/compare_l2_modes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/algorithms/algorithm.h"
#include "sim/predict.h"
#include "tests/sim/h200_rows.h"

namespace hbmscope::test {
namespace {

Point point_of(const Row& row) {
  Point point{.gpu = "h200", .algorithm = row.at("algorithm"), .variant = row.at("variant")};
  point.problem = {.batch = size(row, "batch"),
                   .heads = size(row, "heads"),
                   .kv_heads = size(row, "kv_heads"),
                   .seqlen_q = size(row, "seqlen_q"),
                   .seqlen_kv = size(row, "seqlen_kv"),
                   .head_dim = size(row, "head_dim"),
                   .head_dim_v = size(row, "head_dim"),
                   .dtype = *parse_data_type(row.at("dtype")),
                   .mask = *parse_mask(row.at("mask")),
                   .window = row.at("window").empty() ? 0 : size(row, "window"),
                   .direction = *parse_direction(row.at("direction"))};
  point.tile = {.br = size(row, "br"), .bc = size(row, "bc"), .splits = size(row, "splits")};
  const Variant& variant = find_variant(find_algorithm(point.algorithm), point.variant);
  if (variant.implied != nullptr) point.tile = variant.implied(point.problem).tile;
  point.order = *parse_order(row.at("order"));
  point.kv_walk = *parse_walk(row.at("kv_walk"));
  return point;
}

double moved(const Point& point) {
  const Prediction prediction = *predict_record(point).prediction;
  return static_cast<double>(prediction.hbm_read_bytes) + static_cast<double>(prediction.hbm_write_bytes);
}

double replayed(const Row& row) {
  return number(row, "replayed_read_bytes") + number(row, "replayed_write_bytes");
}

const char* const kRows = "tests/data/replayed_h200.csv";

}  // namespace

TEST(ClosedFormDifference, IsWithinFivePercentOnAverageAndFifteenForMostOfEveryGroup) {
  std::map<std::string, std::vector<double>> differences;
  for (const Row& row : rows_of(kRows)) {
    Point point = point_of(row);
    point.l2_mode = L2Mode::model;
    const double difference = std::abs(moved(point) / replayed(row) - 1);
    differences[row.at("algorithm")].push_back(difference);
  }
  EXPECT_EQ(differences.size(), 5U);
  for (auto& [group, values] : differences) {
    std::sort(values.begin(), values.end());
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    EXPECT_LE(mean, 0.05) << group;
    EXPECT_LE(values[values.size() * 95 / 100], 0.15) << group;
  }
}

// The rows are what the replay says today: those of small programs, which take no time.
TEST(ClosedFormDifference, IsMeasuredAgainstTheReplayAsItIs) {
  int replays = 0;
  for (const Row& row : rows_of(kRows)) {
    Point point = point_of(row);
    point.l2_mode = L2Mode::none;
    if (static_cast<double>(predict_record(point).prediction->io_bytes) > 4e8) continue;
    point.l2_mode = L2Mode::replay;
    EXPECT_DOUBLE_EQ(moved(point), replayed(row)) << row.at("algorithm") << " " << row.at("seqlen_q");
    ++replays;
  }
  EXPECT_GE(replays, 20);
}

}  // namespace hbmscope::test
