#include "sim/crossovers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hbmscope {
namespace {

std::vector<CrossoverRow> crossovers_of(const Point& point) {
  const GpuSpec gpu = load_gpu("h200");
  const Algorithm& algorithm = find_algorithm(point.algorithm);
  const PointContext context{&gpu, &algorithm, &find_variant(algorithm, point.variant)};
  PredictionScratch scratch;
  return find_crossovers(context, point, scratch);
}

Point point_of(std::string_view variant, const Problem& problem = {}, const Tile& tile = {}) {
  return {.gpu = "h200",
          .algorithm = "flash2",
          .variant = std::string(variant),
          .problem = problem,
          .tile = tile};
}

const CrossoverRow* find(const std::vector<CrossoverRow>& rows, std::string_view axis) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CrossoverRow& row) { return row.axis == axis; });
  return found == rows.end() ? nullptr : &*found;
}

const ScannedAxis& axis_of(const CrossoverRow& row) {
  const auto axes = scanned_axes();
  return *std::find_if(axes.begin(), axes.end(),
                       [&](const ScannedAxis& axis) { return axis.name == row.axis; });
}

}  // namespace

// A query row and key cost 4·d FLOP at 4096 FLOP/clk and one exponential at 16/clk (and one more for each key
// tile of 64): exponentials take longer as long as 4·d / 4096 < (1 + 1/64) / 16, which is d < 65.
TEST(Crossovers, ExponentialsGiveWayToTheTensorCoresWithTheHeadDim) {
  const std::vector<CrossoverRow> rows = crossovers_of(point_of("paper"));
  const CrossoverRow* head_dim = find(rows, "head-dim");
  ASSERT_NE(head_dim, nullptr);
  EXPECT_EQ(*head_dim, (CrossoverRow{"head-dim", 16, 256, 16, 16, {{16, 64, "exp"}, {80, 256, "tensor"}}}));
}

// Every demand is that of one batch entry, so many times.
TEST(Crossovers, TheBatchChangesNothing) {
  for (const char* variant : {"mma", "paper"}) {
    const std::vector<CrossoverRow> rows = crossovers_of(point_of(variant));
    const CrossoverRow* batch = find(rows, "batch");
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(batch->counted, 64);
    ASSERT_EQ(batch->stretches.size(), 1U);
    EXPECT_EQ(batch->stretches[0].first, 1);
    EXPECT_EQ(batch->stretches[0].last, 64);
  }
}

// What is said of every value, within a stretch and between two, is what predict_record says.
TEST(Crossovers, AgreeWithThePredictionOfEveryValue) {
  for (const Point& point : {point_of("mma", {.seqlen_q = 100, .seqlen_kv = 5000, .mask = Mask::causal}),
                             point_of("mma", {.head_dim = 64, .head_dim_v = 64}, {.br = 64, .bc = 128}),
                             point_of("mma", {}, {.br = 17}), point_of("paper")}) {
    const Record base = predict_record(point);
    for (const CrossoverRow& row : crossovers_of(point)) {
      if (row.axis.starts_with("seqlen")) continue;  // a thousand values
      std::vector<LimiterStretch> expected;
      std::int64_t counted = 0;
      for (std::int64_t value = row.first; value <= row.last; value += row.step) {
        Point moved = point;
        axis_of(row).set(moved, value);
        const Record record = predict_record(moved);
        const bool known =
            record.prediction->sram_read_bytes.has_value() == base.prediction->sram_read_bytes.has_value();
        if (base.feasible.value_or(false) ? !*record.feasible : !known) continue;
        ++counted;
        if (expected.empty() || expected.back().limiter != record.prediction->limiter)
          expected.push_back({value, value, record.prediction->limiter});
        expected.back().last = value;
      }
      EXPECT_EQ(row.counted, counted) << row.axis;
      EXPECT_EQ(row.stretches, expected) << row.axis;
    }
  }
}

// A kernel exists for the seven head dims of kMmaHeadDims; without its shared-memory bytes another one would
// be compared with fewer roofs.
TEST(Crossovers, CountWhatAKernelCanRun) {
  const std::vector<CrossoverRow> rows = crossovers_of(point_of("mma"));
  const CrossoverRow* head_dim = find(rows, "head-dim");
  ASSERT_NE(head_dim, nullptr);
  EXPECT_EQ(head_dim->counted, 7);
  EXPECT_EQ(head_dim->stretches.front().first, 32);
  EXPECT_EQ(head_dim->stretches.back().last, 256);
}

TEST(Crossovers, SizesThatFollowEachOtherAreOneAxis) {
  EXPECT_EQ(find(crossovers_of(point_of("paper")), "seqlen-kv"), nullptr);
  const std::vector<CrossoverRow> decode = crossovers_of(point_of("paper", {.seqlen_q = 1}));
  const CrossoverRow* kv = find(decode, "seqlen-kv");
  ASSERT_NE(kv, nullptr);
  // One query for each K and V row: HBM reads both, whatever their number.
  ASSERT_EQ(kv->stretches.size(), 1U);
  EXPECT_EQ(kv->counted, 1024);

  const ScannedAxis& seqlen = scanned_axes()[0];
  Point equal = point_of("mma");
  seqlen.set(equal, 64);
  EXPECT_EQ(equal.problem.seqlen_kv, 64);
  Point unequal = point_of("mma", {.seqlen_q = 1});
  seqlen.set(unequal, 64);
  EXPECT_EQ(unequal.problem.seqlen_q, 64);
  EXPECT_EQ(unequal.problem.seqlen_kv, 4096);
}

// 2^30 heads of 2^14 rows exceed 64 bits of FLOPs at some length, and the point itself does not.
TEST(Crossovers, LeaveOutCountsBeyond64Bits) {
  const Problem large{.heads = kLargestSize, .kv_heads = kLargestSize, .seqlen_q = 1024, .seqlen_kv = 1024};
  const std::vector<CrossoverRow> rows = crossovers_of(point_of("paper", large));
  const CrossoverRow* seqlen = find(rows, "seqlen");
  ASSERT_NE(seqlen, nullptr);
  EXPECT_GE(seqlen->counted, 16);
  EXPECT_LT(seqlen->counted, 1024);
  EXPECT_LT(seqlen->stretches.back().last, 65536);
}

}  // namespace hbmscope
