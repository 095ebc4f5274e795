#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/algorithms/cublas_tiles.h"
#include "sim/predict.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;
using U = std::uint64_t;

Plan plan_of(const Problem& problem) { return {.problem = problem}; }

Program program_of(const Problem& problem) {
  Program program;
  const Algorithm& standard = find_algorithm("standard");
  build_program(standard, find_variant(standard, "cublas"), plan_of(problem), program);
  check_program(program);
  return program;
}

Traffic traffic_of(const Program& program) {
  Traffic traffic;
  count_traffic(program, traffic);
  return traffic;
}

std::string reason_of(const Problem& problem, const std::string& gpu = "h200") {
  Point point;
  point.gpu = gpu;
  point.algorithm = "standard";
  point.variant = "cublas";
  point.problem = problem;
  return predict_record(point).reason;
}

// MHA, square, head dim of both.
Problem square(std::int64_t batch, std::int64_t n, std::int64_t head_dim) {
  return {.batch = batch, .seqlen_q = n, .seqlen_kv = n, .head_dim = head_dim, .head_dim_v = head_dim};
}

std::string text(const std::optional<GemmTile>& tile) {
  return tile ? std::to_string(tile->rows) + "x" + std::to_string(tile->columns) : "none";
}

}  // namespace

// A tile of C with m rows and n columns reads (m + n) · depth elements.
TEST(StandardCublas, ReadsRowsAndColumnsOfEveryTile) {
  const U n = 4096;
  const U d = 128;
  const U matrices = 4 * 16;
  const Program program = program_of(square(4, 4096, 128));
  const Traffic traffic = traffic_of(program);
  const ReadWrite scores = total_of(traffic.launches[0]).l2;  // 128 × 256
  EXPECT_EQ(scores.read, matrices * (n / 128) * (n / 256) * (128 + 256) * d * 2);
  EXPECT_EQ(scores.write, matrices * n * n * 2);
  const ReadWrite softmax = total_of(traffic.launches[1]).l2;
  EXPECT_EQ(softmax.read, matrices * n * n * 2);
  EXPECT_EQ(softmax.write, matrices * n * n * 2);
  const ReadWrite output = total_of(traffic.launches[2]).l2;  // 256 × 128: all of d
  EXPECT_EQ(output.read, matrices * (n / 256) * (256 + 128) * n * 2);
  EXPECT_EQ(output.write, matrices * n * d * 2);
  EXPECT_EQ(traffic.launches[0].flops, matrices * 2 * n * n * d);
  EXPECT_EQ(traffic.launches[2].flops, matrices * 2 * n * n * d);
}

// Head dim 256 takes two tiles of 128 columns: P is read twice.
TEST(StandardCublas, ReadsTheProbabilitiesOnceForEveryTileOfColumns) {
  const Program program = program_of(square(4, 4096, 256));
  const Traffic traffic = traffic_of(program);
  EXPECT_EQ(total_of(traffic.launches[2]).l2.read, U{64} * (4096 / 256) * 2 * (256 + 128) * 4096 * 2);
  EXPECT_EQ(traffic.launches[2].flops, U{64} * 2 * 4096 * 4096 * 256);
}

// 1000 rows are 8 tiles of 128 and 4 of 256, all of them moved whole; from memory come the valid ones alone.
TEST(StandardCublas, MovesBoxesThatStickOutWhole) {
  Problem problem = square(4, 1024, 128);
  problem.seqlen_q = 1000;
  const Traffic traffic = traffic_of(program_of(problem));
  const U matrices = 64;
  EXPECT_EQ(total_of(traffic.launches[0]).l2.read, matrices * 8 * 4 * (128 + 256) * 128 * 2);
  EXPECT_EQ(
      total_of(traffic.launches[0]).io.read,
      matrices * (4 * 1000 + U{8} * 1024) * 128 * 2);  // Q for each of 4 kv tiles, K for each of 8 q tiles
  EXPECT_EQ(total_of(traffic.launches[0]).l2.write, matrices * 1000 * 1024 * 2);
  EXPECT_EQ(total_of(traffic.launches[2]).l2.read, matrices * 4 * (256 + 128) * 1024 * 2);
}

// 4 query heads on one KV head are 4 · Nq rows of one matrix: K crosses to the SMs for every 128 of them.
TEST(StandardCublas, TakesTheQueryHeadsOfAGroupAsRows) {
  const Problem problem{
      .batch = 4, .heads = 32, .kv_heads = 8, .seqlen_q = 1000, .seqlen_kv = 1024, .mask = Mask::causal};
  const Program program = program_of(problem);
  const Traffic traffic = traffic_of(program);
  const U matrices = 4 * 8;
  const U q_tiles = (4 * 1000 + 127) / 128;
  EXPECT_EQ(total_of(traffic.launches[0]).l2.read, matrices * q_tiles * 4 * (128 + 256) * 128 * 2);
  // Each head has its own triangle: query i sees i + 25 keys.
  const U pairs = U{1000} * 25 + 1000 * 999 / 2;
  EXPECT_EQ(traffic.launches[0].flops, U{4} * 32 * pairs * 2 * 128);
  // The softmax kernel's CTAs of 4 rows (rows of up to 2048) stay within a head.
  EXPECT_EQ(total_of(traffic.launches[1]).l2.read, U{4} * 32 * 1000 * 1024 * 2);
  EXPECT_EQ(footprint_bytes(program),
            (U{4} * 32 * 1000 * (2 * 128 + 2 * 1024) + U{4} * 8 * 2 * 1024 * 128) * 2);
}

TEST(StandardCublas, NamesTheProductsAndTheirTiles) {
  const Program program = program_of(square(4, 4096, 64));
  const LibraryGemm scores = program.launches[0].library_gemm.value();
  EXPECT_EQ(program.tensors[scores.a].name, "Q");
  EXPECT_EQ(program.tensors[scores.b].name, "K");
  EXPECT_EQ(program.tensors[scores.c].name, "S");
  EXPECT_TRUE(scores.b_transposed && scores.softmax_scale);
  const LibraryGemm output = program.launches[2].library_gemm.value();
  EXPECT_EQ(program.tensors[output.a].name, "P");
  EXPECT_EQ(program.tensors[output.b].name, "V");
  EXPECT_EQ(program.tensors[output.c].name, "O");
  EXPECT_FALSE(output.b_transposed || output.softmax_scale);
  EXPECT_EQ(output.tile_rows, 512);
  EXPECT_EQ(output.tile_columns, 64);
  EXPECT_FALSE(program.launches[1].library_gemm.has_value());
}

// What cuBLAS 13.1 chose on an H200.
TEST(CublasTiles, FollowTheHeuristic) {
  EXPECT_EQ(text(cublas_scores_tile(4096, 4096, 1)), "128x256");
  EXPECT_EQ(text(cublas_scores_tile(512, 512, 16)), "128x256");
  EXPECT_EQ(text(cublas_scores_tile(512, 512, 4)), "64x128");
  EXPECT_EQ(text(cublas_scores_tile(256, 256, 32)), "128x128");
  EXPECT_EQ(text(cublas_scores_tile(256, 256, 16)), "64x128");
  EXPECT_EQ(text(cublas_output_tile(4096, 64, 16)), "512x64");
  EXPECT_EQ(text(cublas_output_tile(2048, 64, 16)), "256x64");
  EXPECT_EQ(text(cublas_output_tile(512, 64, 16)), "64x64");
  EXPECT_EQ(text(cublas_output_tile(512, 128, 64)), "256x128");
  EXPECT_EQ(text(cublas_output_tile(256, 128, 128)), "128x128");
  EXPECT_EQ(text(cublas_output_tile(512, 128, 16)), "128x64");
  EXPECT_EQ(text(cublas_output_tile(4096, 192, 16)), "128x192");
  EXPECT_EQ(text(cublas_output_tile(512, 192, 16)), "128x96");
  EXPECT_EQ(text(cublas_output_tile(1024, 256, 16)), "256x128");
  EXPECT_EQ(text(cublas_output_tile(4096, 256, 1)), "64x128");
  EXPECT_EQ(text(cublas_output_tile(4096, 80, 16)), "none");
  EXPECT_EQ(text(cublas_scores_tile(512, 512, 1)), "none");  // 64 × 48 there, in no ladder
}

TEST(StandardCublas, SaysWhyItCannotRun) {
  const Problem works = square(4, 4096, 128);
  EXPECT_EQ(reason_of(works), "");
  Problem problem = works;
  problem.head_dim = 80;
  EXPECT_THAT(reason_of(problem),
              testing::AllOf(HasSubstr("head_dim 80"), HasSubstr("64, 128, 192 and 256")));
  problem = works;
  problem.seqlen_kv = 1000;
  EXPECT_THAT(reason_of(problem), testing::AllOf(HasSubstr("seqlen_kv 1000"), HasSubstr("multiples of 64")));
  problem = works;
  problem.dtype = DataType::fp8;
  EXPECT_THAT(reason_of(problem), HasSubstr("fp8"));
  problem = works;
  problem.seqlen_q = 1;
  EXPECT_THAT(reason_of(problem), HasSubstr("128 or more"));
  problem = works;
  problem.seqlen_kv = 131072;
  EXPECT_THAT(reason_of(problem), HasSubstr("65536"));
  EXPECT_THAT(reason_of(works, "a100-80"),
              HasSubstr("compute capability 8.0, the kernels need 9.0 and no other"));
}

TEST(StandardCublas, LeavesSharedMemoryOut) {
  Point point;
  point.gpu = "h200";
  point.algorithm = "standard";
  point.variant = "cublas";
  point.problem = square(4, 4096, 128);
  const Record record = predict_record(point);
  EXPECT_FALSE(record.prediction->sram_read_bytes.has_value());
  EXPECT_FALSE(record.prediction->sram_write_bytes.has_value());
  EXPECT_FALSE(record.launches.at(0).threads.has_value());
  EXPECT_TRUE(record.launches.at(1).threads.has_value());
}

}  // namespace hbmscope
