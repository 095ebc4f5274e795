#include "sim/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/error.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

Point point_of(std::string_view algorithm, std::string_view variant, const Problem& problem,
               const Tile& tile) {
  Point point;
  point.gpu = "h200";
  point.algorithm = algorithm;
  point.variant = variant;
  point.problem = problem;
  point.tile = tile;
  return point;
}

// Why a point cannot run; "" if it can.
std::string reason_of(std::string_view algorithm, const Problem& problem, const Tile& tile,
                      const std::string& gpu = "h200") {
  Point point = point_of(algorithm, "mma", problem, tile);
  point.gpu = gpu;
  const Record record = predict_record(point);
  EXPECT_EQ(record.feasible, record.reason.empty());
  return record.reason;
}

}  // namespace

TEST(Predict, HbmIsTheCompulsoryCountWithoutAnL2Model) {
  Point point = point_of("flash2", "mma", {.seqlen_q = 512, .seqlen_kv = 512}, {});
  point.l2_mode = L2Mode::none;
  const Record record = predict_record(point);
  const Prediction& prediction = record.prediction.value();
  EXPECT_EQ(prediction.hbm_read_bytes, 3U * 16 * 512 * 128 * 2);
  EXPECT_EQ(prediction.hbm_write_bytes, 16U * 512 * (128 * 2 + 4));
  EXPECT_EQ(prediction.compulsory_bytes, prediction.hbm_read_bytes + prediction.hbm_write_bytes);
  EXPECT_EQ(prediction.footprint_bytes, prediction.compulsory_bytes);
  EXPECT_EQ(prediction.io_bytes, prediction.l2_read_bytes + prediction.l2_write_bytes);
  EXPECT_TRUE(record.status == Status::ok && record.feasible.value());
}

TEST(Predict, TrafficRowsAddUpToTheTotals) {
  for (const char* algorithm : {"standard", "flash2"}) {
    const Record record = predict_record(point_of(algorithm, "mma", {.seqlen_q = 300, .seqlen_kv = 700}, {}));
    std::array<std::uint64_t, 3> read{};
    std::array<std::uint64_t, 3> written{};
    std::uint64_t io = 0;
    for (const TrafficRow& row : record.traffic) {
      read[static_cast<std::size_t>(row.boundary)] += row.read_bytes;
      written[static_cast<std::size_t>(row.boundary)] += row.write_bytes;
      EXPECT_EQ(row.io_read_bytes.has_value(), row.boundary == Boundary::l2);
      EXPECT_EQ(row.io_write_bytes.has_value(), row.boundary == Boundary::l2);
      io += row.io_read_bytes.value_or(0) + row.io_write_bytes.value_or(0);
    }
    const Prediction& prediction = record.prediction.value();
    EXPECT_EQ(read[0], prediction.hbm_read_bytes);
    EXPECT_EQ(written[0], prediction.hbm_write_bytes);
    EXPECT_EQ(read[1], prediction.l2_read_bytes);
    EXPECT_EQ(written[1], prediction.l2_write_bytes);
    EXPECT_EQ(read[2], prediction.sram_read_bytes);
    EXPECT_EQ(written[2], prediction.sram_write_bytes);
    EXPECT_EQ(io, prediction.io_bytes);
  }
}

// 64 queries with d = 128 do too little arithmetic for their K and V; many queries do much.
TEST(Predict, LimiterFollowsTheShape) {
  const Record decode =
      predict_record(point_of("flash2", "mma", {.seqlen_q = 1, .seqlen_kv = 65536}, {64, 64}));
  const Record prefill =
      predict_record(point_of("flash2", "paper", {.seqlen_q = 16384, .seqlen_kv = 16384}, {128, 128}));
  EXPECT_NE(decode.prediction->limiter, prefill.prediction->limiter);
  EXPECT_EQ(prefill.prediction->limiter, "tensor");
  // No faster than the tensor cores: 4 d N² H FLOP at 4096 x 132 x 1.98 GHz.
  const double flops = 4.0 * 128 * 16384.0 * 16384.0 * 16;
  EXPECT_NEAR(prefill.prediction->time_s, flops / (4096 * 132 * 1.98e9), 1e-9);
  EXPECT_EQ(prefill.prediction->flops, static_cast<std::uint64_t>(flops));
}

// No kernel is described, so none can be infeasible, nor is one known to run.
TEST(Predict, PaperVariantsHaveNeitherFeasibilityNorSharedMemory) {
  const Problem odd{.seqlen_q = 77, .seqlen_kv = 5, .head_dim = 3, .head_dim_v = 9, .dtype = DataType::fp8};
  for (const char* algorithm : {"standard", "flash1", "flash2"}) {
    const Record record = predict_record(point_of(algorithm, "paper", odd, {.br = 7, .bc = 1000000}));
    EXPECT_EQ(record.feasible, std::nullopt) << algorithm;
    EXPECT_EQ(record.reason, "") << algorithm;
    EXPECT_FALSE(record.prediction->sram_read_bytes.has_value()) << algorithm;
  }
}

TEST(Feasibility, SaysNeedAndLimit) {
  EXPECT_EQ(reason_of("flash2", {}, {.br = 128, .bc = 64}), "");
  EXPECT_THAT(reason_of("flash2", {}, {.br = 100, .bc = 64}),
              testing::AllOf(HasSubstr("100"), HasSubstr("16")));
  EXPECT_THAT(reason_of("flash2", {}, {.br = 512, .bc = 64}),
              testing::AllOf(HasSubstr("512"), HasSubstr("256")));
  EXPECT_THAT(reason_of("flash2", {}, {.br = 128, .bc = 8}), HasSubstr("bc 8"));
  EXPECT_THAT(reason_of("flash2", {}, {.stages = 100}), HasSubstr("100 stages"));
  EXPECT_THAT(reason_of("flash2", {.head_dim = 72, .head_dim_v = 72}, {}),
              testing::AllOf(HasSubstr("72"), HasSubstr("32, 64, 80, 96, 128, 192, 256")));
  EXPECT_THAT(reason_of("flash2", {.head_dim = 128, .head_dim_v = 64}, {}), HasSubstr("differ"));
  EXPECT_THAT(reason_of("flash2", {.dtype = DataType::fp8}, {}),
              testing::AllOf(HasSubstr("fp8"), HasSubstr("bf16")));
  EXPECT_THAT(reason_of("flash1", {.mask = Mask::window, .window = 64}, {}), HasSubstr("window"));
  EXPECT_EQ(reason_of("flash2", {.mask = Mask::window, .window = 64}, {}), "");
  EXPECT_EQ(reason_of("standard", {.mask = Mask::window, .window = 64}, {}), "");
  EXPECT_THAT(reason_of("standard", {.seqlen_kv = 100000}, {}),
              testing::AllOf(HasSubstr("100000"), HasSubstr("65536")));
  // (256 + 2 x 2 x 256) rows of 256 B are 327680 B of shared memory.
  EXPECT_THAT(reason_of("flash2", {}, {.br = 256, .bc = 256, .stages = 2}),
              testing::AllOf(HasSubstr("327680"), HasSubstr("232448"), HasSubstr("h200")));
  // 128 KiB fit an H200 but not an L4.
  EXPECT_EQ(reason_of("flash2", {}, {.br = 256, .bc = 128}), "");
  EXPECT_THAT(reason_of("flash2", {}, {.br = 256, .bc = 128}, "l4"),
              testing::AllOf(HasSubstr("131072"), HasSubstr("101376"), HasSubstr("l4")));
  EXPECT_THAT(reason_of("flash2", {}, {}, "t4"),
              testing::AllOf(HasSubstr("t4 has compute capability 7.5"), HasSubstr("8.0")));
  EXPECT_THAT(reason_of("flash2", {}, {}, "mi300x"), HasSubstr("mi300x does not run CUDA"));
}

// Q, K, V and O in bf16 and LSE in fp32, of 16 heads and 4096 rows: 67,371,008 B.
TEST(Feasibility, TheTensorsFitTheHbm) {
  EXPECT_EQ(reason_of("flash2", {}, {}, "h200+hbm.capacity=67371008B"), "");
  EXPECT_EQ(reason_of("flash2", {}, {}, "h200+hbm.capacity=67371007B"),
            "the tensors need 67371008 bytes of HBM, h200+hbm.capacity=67371007B has 67371007");
  // S and P of 16 heads are 64 GiB at N = 32768, and four times that at twice the length.
  EXPECT_EQ(reason_of("standard", {.seqlen_q = 32768, .seqlen_kv = 32768}, {}), "");
  EXPECT_THAT(reason_of("standard", {.seqlen_q = 65536, .seqlen_kv = 65536}, {}),
              testing::AllOf(HasSubstr("bytes of HBM"), HasSubstr("h200 has 141")));
}

// A backward pass is predicted, but no kernel runs it: nothing describes its shared memory.
TEST(Feasibility, BackwardHasNoKernel) {
  for (const char* algorithm : {"standard", "flash2"}) {
    for (const Direction direction : {Direction::backward, Direction::both}) {
      const Record record = predict_record(point_of(algorithm, "mma", {.direction = direction}, {}));
      EXPECT_FALSE(record.feasible.value());
      EXPECT_THAT(record.reason, testing::AllOf(HasSubstr("no kernel"), HasSubstr(to_string(direction))));
      EXPECT_GT(record.prediction->hbm_read_bytes, 0U);
      EXPECT_FALSE(record.prediction->sram_read_bytes.has_value());
    }
    Point paper = point_of(algorithm, "paper", {.direction = Direction::both}, {});
    EXPECT_EQ(predict_record(paper).feasible, std::nullopt);
  }
}

TEST(Predict, NamesWhatDoesNotExist) {
  const auto input_of = [](const Point& point) -> std::string {
    try {
      predict_record(point);
    } catch (const UserError& error) {
      return error.input();
    }
    return "accepted";
  };
  EXPECT_EQ(input_of(point_of("flash9", "mma", {}, {})), "--algorithm");
  EXPECT_EQ(input_of(point_of("flash2", "fa9", {}, {})), "--variant");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {.heads = 3, .kv_heads = 2}, {})), "--kv-heads");
  Point point = point_of("flash2", "mma", {}, {});
  point.gpu = "h300";
  EXPECT_EQ(input_of(point), "--gpu");
  point.gpu = "h200";
  point.cache_state = CacheState::warm;
  for (const L2Mode mode : {L2Mode::model, L2Mode::replay}) {
    point.l2_mode = mode;
    EXPECT_EQ(input_of(point), "--cache-state");
  }
  EXPECT_EQ(input_of(point_of("flash2", "mma", {}, {.br = 0})), "--br");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {}, {.bc = -1})), "--bc");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {}, {.stages = kLargestSize + 1})), "--stages");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {}, {.splits = 0})), "--splits");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {}, {.splits = 2})), "--splits");
  EXPECT_EQ(input_of(point_of("flash2", "mma", {.page_size = 16}, {})), "--page-size");
  Point head_fastest = point_of("flash1", "paper", {}, {});
  head_fastest.order = Order::head_fastest;
  EXPECT_EQ(input_of(head_fastest), "--order");
}

TEST(Predict, ListsNoSharedMemoryBytesOfAKernelThatIsNotDescribed) {
  const auto has_sram_rows = [](const Tile& tile) {
    const Record record = predict_record(point_of("flash2", "mma", {}, tile));
    return std::any_of(record.traffic.begin(), record.traffic.end(),
                       [](const TrafficRow& row) { return row.boundary == Boundary::sram; });
  };
  EXPECT_TRUE(has_sram_rows({.br = 64}));
  EXPECT_FALSE(has_sram_rows({.br = 17}));
}

// Tiles far larger than the problem predict. Executed FLOPs count whole tiles, so that the largest of all
// exceed 64 bits: an error.
TEST(Predict, TakesAnyPositiveTile) {
  for (const std::int64_t side : {1, 3, 1 << 25}) {
    for (const Mask mask : {Mask::full, Mask::causal, Mask::window}) {
      const Problem problem{.heads = 1,
                            .kv_heads = 1,
                            .seqlen_q = 50,
                            .seqlen_kv = 70,
                            .mask = mask,
                            .window = mask == Mask::window};
      const Record record = predict_record(point_of("flash2", "paper", problem, {.br = side, .bc = side}));
      EXPECT_GE(record.prediction->executed_flops, record.prediction->flops);
      EXPECT_GE(record.prediction->io_bytes, record.prediction->compulsory_bytes);
    }
  }
  EXPECT_THROW(predict_record(point_of("flash2", "paper", {}, {.br = kLargestSize, .bc = kLargestSize})),
               CountOverflow);
}

}  // namespace hbmscope
