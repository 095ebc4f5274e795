// What the L2 replay predicts for kernels that were recorded on an H200: the floors of DRAM bytes. No number
// of the replay was fitted to these rows. scripts/compare_recorded does the same for every recorded point.
#include <gtest/gtest.h>

#include <cmath>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using Options = std::vector<std::string>;

std::vector<Record> replayed(Options options) {
  const Workspace workspace;
  options.insert(options.begin(), {"validate", "--gpu", "h200", "--counters", "recorded", "--l2", "replay",
                                   "--csv", "rows.csv", "--quiet"});
  const Result result = workspace.run(options);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  return read_csv(workspace.read("rows.csv"), "rows.csv");
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

struct Error {
  double mean = 0;
  double worst = 0;
};

// Of DRAM reads + writes, deferred ones included.
Error error_of(const std::vector<Record>& rows) {
  Error error;
  for (const Record& row : rows) {
    const double predicted = megabytes(row.prediction->hbm_read_bytes + row.prediction->hbm_write_bytes);
    const double measured =
        megabytes(*row.measurement->hbm_read_bytes + total_hbm_write_bytes(*row.measurement).value());
    const double off = std::abs(predicted / measured - 1);
    error.mean += off / static_cast<double>(rows.size());
    error.worst = std::max(error.worst, off);
  }
  return error;
}

// Bytes that a cache without limits would not have had to move, of all points together.
double excess_share(const std::vector<Record>& rows) {
  double excess = 0;
  double measured = 0;
  for (const Record& row : rows) {
    const double moved =
        megabytes(*row.measurement->hbm_read_bytes + total_hbm_write_bytes(*row.measurement).value());
    excess += moved - megabytes(row.prediction->compulsory_bytes);
    measured += moved;
  }
  return excess / measured;
}

void expect_floors(const std::vector<Record>& rows, std::size_t points) {
  ASSERT_EQ(rows.size(), points);
  const Error error = error_of(rows);
  EXPECT_LE(error.mean, 0.02);
  EXPECT_LE(error.worst, 0.08);
}

}  // namespace

// K and V of one head exceed a side of the L2.
TEST(RecordedReplay, HoldsTheFloorsForLongSequences) {
  const std::vector<Record> rows =
      replayed({"--algorithm", "flash2", "--heads", "2", "--mask", "full,causal", "--seqlen", "64k", "--br",
                "128", "--bc", "64", "--order", "q-fastest,head-fastest", "--kv-walk", "up,down"});
  EXPECT_GT(excess_share(rows), 0.3);
  expect_floors(rows, 8);
}

// Several heads share the L2: grid order and walk decide.
TEST(RecordedReplay, HoldsTheFloorsForOrdersAndWalks) {
  const std::vector<Record> rows =
      replayed({"--algorithm", "flash2",      "--kv-heads", "16,4", "--head-dim", "128",
                "--mask",      "full,causal", "--tokens",   "24k",  "--seqlen",   "4k",
                "--br",        "128",         "--bc",       "64",   "--order",    "q-fastest,head-fastest",
                "--kv-walk",   "up,down"});
  EXPECT_GT(excess_share(rows), 0.1);
  expect_floors(rows, 16);
}

// O, l and m travel once per K/V tile.
TEST(RecordedReplay, HoldsTheFloorsForFlash1) {
  const std::vector<Record> rows = replayed({"--algorithm", "flash1", "--mask", "full,causal", "--tokens",
                                             "16k", "--seqlen", "1k..4k*2", "--br", "64,128", "--bc", "64"});
  EXPECT_GT(excess_share(rows), 0.5);
  expect_floors(rows, 12);
}

// S and P stay in the L2 where they are small and leave it where they are large. Rows of S are many blocks:
// one test for each algorithm, so that none takes long.
class RecordedReplayOf : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedReplayOf, UnfusedAttentionHoldsTheFloors) {
  const std::vector<Record> rows =
      replayed({"--algorithm", GetParam(), "--kv-heads", "4,1", "--head-dim", "64", "--mask", "full,causal",
                "--tokens", "4k", "--seqlen", "2k", "--br", "128", "--bc", "64"});
  EXPECT_GT(excess_share(rows), 0.2);
  expect_floors(rows, 4);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, RecordedReplayOf, ::testing::Values("standard", "standard-online"));

}  // namespace hbmscope::testing
