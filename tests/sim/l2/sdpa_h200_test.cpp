// Kernels that others built, predicted by the replay, against counters measured on an H200 (tests/data). No
// number was fitted to DRAM bytes of these rows. Three choices were made with them in view: the schedule of
// cuDNN's kernel under a causal mask, that a CTA's spills for each K/V tile and its others are apart in
// memory, and that the CTAs of an SM go equally fast in FlashAttention-2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sim/predict.h"
#include "tests/sim/h200_rows.h"

namespace hbmscope::test {
namespace {

Point point_of(const Row& row) {
  Point point{
      .gpu = "h200", .algorithm = "flash2", .variant = row.at("backend") == "flash" ? "fa2" : "cudnn"};
  point.problem = {.batch = size(row, "batch"),
                   .heads = size(row, "heads"),
                   .kv_heads = size(row, "kv_heads"),
                   .seqlen_q = size(row, "seqlen_q"),
                   .seqlen_kv = size(row, "seqlen_kv"),
                   .head_dim = size(row, "head_dim"),
                   .head_dim_v = size(row, "head_dim"),
                   .mask = row.at("causal") == "1" ? Mask::causal : Mask::full};
  const ImpliedPlan implied = find_variant(find_algorithm("flash2"), point.variant).implied(point.problem);
  point.tile = implied.tile;
  point.order = implied.order;
  point.kv_walk = implied.kv_walk;
  point.l2_mode = L2Mode::replay;
  return point;
}

Prediction prediction_of(const Row& row) { return *predict_record(point_of(row)).prediction; }

bool is_fused(const Row& row) { return row.at("backend") != "eager"; }
bool is_prefill(const Row& row) { return is_fused(row) && row.at("seqlen_q") != "1"; }

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// By what share a value lies outside a band; 0 within it.
double distance(double value, double low, double high) {
  return std::max({0.0, low / value - 1, value / high - 1});
}

std::map<std::string, std::vector<double>> reads_by_shape() {
  std::map<std::string, std::vector<double>> reads;
  for (const Row& row : rows_of("tests/data/sdpa_h200_placements.csv")) {
    reads[name_of(row)].push_back(number(row, "dram_read_bytes"));
  }
  return reads;
}

}  // namespace

// One placement of the tensors was measured for each row, and a prediction is the median of placements. What
// FlashAttention-2 reads under a causal mask differs from placement to placement by a tenth: how far rows are
// from the band says more of the replay than how far they are from the median, and medians of placements
// (below) most.
TEST(SdpaOnH200, DramReadsOfPrefillAreThoseMeasured) {
  std::map<std::string, std::vector<double>> errors;
  std::map<std::string, std::vector<double>> distances;
  for (const Row& row : rows_of("tests/data/sdpa_h200.csv")) {
    if (!is_prefill(row)) continue;
    const Prediction predicted = prediction_of(row);
    const double measured = number(row, "dram_read_bytes");
    errors[row.at("backend")].push_back(
        std::abs(static_cast<double>(predicted.hbm_read_bytes) / measured - 1));
    const auto low = static_cast<double>(predicted.hbm_read_bytes_p05.value());
    const auto high = static_cast<double>(predicted.hbm_read_bytes_p95.value());
    distances[row.at("backend")].push_back(distance(measured, low, high));
    EXPECT_LE(distances[row.at("backend")].back(), 0.06) << name_of(row);
  }
  EXPECT_LE(mean(errors["cudnn"]), 0.015);
  EXPECT_LE((mean(errors["flash"]) + mean(errors["cudnn"])) / 2, 0.02);
  for (const char* backend : {"flash", "cudnn"}) {
    ASSERT_EQ(distances[backend].size(), 14U);
    EXPECT_LE(mean(distances[backend]), 0.01) << backend;
  }
}

// All that crosses L2 <-> SM is arithmetic: Q and O once, K and V for every q tile, and what is spilled.
TEST(SdpaOnH200, L2BytesOfPrefillAreThoseMeasured) {
  for (const Row& row : rows_of("tests/data/sdpa_h200.csv")) {
    if (!is_prefill(row)) continue;
    Point point = point_of(row);
    point.l2_mode = L2Mode::none;
    const Prediction predicted = *predict_record(point).prediction;
    EXPECT_NEAR(static_cast<double>(predicted.l2_read_bytes) / number(row, "l2_read_bytes"), 1, 0.0003)
        << name_of(row);
    EXPECT_NEAR(static_cast<double>(predicted.l2_write_bytes) / number(row, "l2_write_bytes"), 1, 0.003)
        << name_of(row);
  }
}

// One query: K and V once, whatever the number of query heads, and what is split by as many CTAs as were
// counted.
TEST(SdpaOnH200, DramReadsOfDecodeAreThoseMeasured) {
  std::map<std::string, double> measured;
  std::map<std::string, Row> calls;
  for (const Row& row : rows_of("tests/data/sdpa_h200.csv")) {
    if (!is_fused(row) || is_prefill(row)) continue;
    measured[name_of(row)] += number(row, "dram_read_bytes");  // of all kernels of a call
    calls[name_of(row)] = row;
  }
  ASSERT_EQ(calls.size(), 4U);
  for (const auto& [name, row] : calls) {
    EXPECT_EQ(point_of(row).tile.splits, row.at("batch") == "8" ? 4 : 1) << name;
    EXPECT_NEAR(static_cast<double>(prediction_of(row).hbm_read_bytes) / measured[name], 1, 0.002) << name;
  }
}

// Three placements of each shape, counted in a range of its own: what is left dirty is found by a sweep.
TEST(SdpaOnH200, MedianReadsAndWritesAreThoseMeasured) {
  std::map<std::string, std::vector<double>> reads;
  std::map<std::string, std::vector<double>> writes;
  std::map<std::string, Row> calls;
  for (const Row& row : rows_of("tests/data/sdpa_ranges_h200.csv")) {
    const std::string name = name_of(row);
    calls[name] = row;
    reads[name].push_back(number(row, "dram_read_bytes"));
    writes[name].push_back(number(row, "dram_write_bytes") + number(row, "sweep_write_bytes"));
  }
  ASSERT_EQ(calls.size(), 32U);
  std::vector<double> read_errors;
  std::vector<double> write_errors;
  for (const auto& [name, row] : calls) {
    const Prediction predicted = prediction_of(row);
    const double read = median_of(reads[name]);
    const double written = median_of(writes[name]);
    EXPECT_LE(distance(read, static_cast<double>(predicted.hbm_read_bytes_p05.value()),
                       static_cast<double>(predicted.hbm_read_bytes_p95.value())),
              0.02)
        << name;
    read_errors.push_back(std::abs(static_cast<double>(predicted.hbm_read_bytes) / read - 1));
    if (!is_prefill(row)) continue;  // writes less than what ranges and sweeps count by themselves
    const double error = std::abs(static_cast<double>(predicted.hbm_write_bytes) - written);
    EXPECT_LE(error / written, 0.08) << name;
    write_errors.push_back(error / written);
  }
  EXPECT_LE(mean(read_errors), 0.011);
  EXPECT_LE(mean(write_errors), 0.025);
}

// Several placements of a shape: their median against the predicted one.
TEST(SdpaOnH200, MedianOfPlacementsIsPredicted) {
  const auto reads = reads_by_shape();
  std::vector<double> errors;
  for (const Row& row : rows_of("tests/data/sdpa_h200.csv")) {
    const auto found = reads.find(name_of(row));
    if (found == reads.end()) continue;
    ASSERT_EQ(found->second.size(), 12U);
    const double measured = median_of(found->second);
    errors.push_back(std::abs(static_cast<double>(prediction_of(row).hbm_read_bytes) / measured - 1));
    EXPECT_LE(errors.back(), 0.10) << name_of(row);
  }
  ASSERT_EQ(errors.size(), 6U);
  EXPECT_LE(mean(errors), 0.05);
}

}  // namespace hbmscope::test
