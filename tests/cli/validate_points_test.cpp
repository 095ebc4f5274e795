// What validate does with a GPU that fails, without one: a fake stands in for it.
#include "cli/validate_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "cli/failure_guard.h"
#include "kernels/device_error.h"
#include "tests/cli/default_axes.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A GPU on which the points of one sequence length fail.
class FailingGpu : public Measurements {
 public:
  FailingGpu(std::int64_t seqlen, const DeviceError& error) : seqlen_(seqlen), error_(error) {}

  bool fill(const Program&, Record& record) override {
    return guard_.run(record, [&] {
      record.measurement.emplace();
      if (record.point.problem.seqlen_q == seqlen_) throw DeviceError(error_);
    });
  }
  void describe(RunInfo&) const override {}

 private:
  std::int64_t seqlen_;
  DeviceError error_;
  FailureGuard guard_;
};

// Points at sequence lengths 1024, 2048 and 4096.
std::vector<Record> validate(Measurements& gpu, Journal* journal = nullptr) {
  PointAxes axes = default_axes();
  axes.implementations.resize(1);
  axes.seqlens = {1024, 2048, 4096};
  const PointList points(std::move(axes));
  const PointWork work{
      .points = points, .range = {0, points.size()}, .terminal = {.quiet = true}, .journal = journal};
  std::vector<Status> taken;
  std::vector<Record> records =
      validate_points(work, false, gpu, [&](const Record& record) { taken.push_back(record.status); });
  EXPECT_EQ(taken.size(), records.size());
  return records;
}

TEST(ValidatePoints, APointThatFailsIsARowAndTheRunGoesOn) {
  FailingGpu gpu(2048, DeviceError("cuMemAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY", false));
  const std::vector<Record> records = validate(gpu);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].status, Status::ok);
  EXPECT_EQ(records[1].status, Status::failed);
  EXPECT_EQ(records[1].reason, "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_TRUE(records[1].prediction.has_value());
  EXPECT_FALSE(records[1].measurement.has_value());
  EXPECT_EQ(records[2].status, Status::ok);
  EXPECT_EQ(validation_exit_code(records, {}), 1);
}

TEST(ValidatePoints, AfterALostContextTheRestSaysThatItDidNotRun) {
  FailingGpu gpu(2048, DeviceError("cuCtxSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS", true));
  const std::vector<Record> records = validate(gpu);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].status, Status::ok);
  EXPECT_EQ(records[1].reason, "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(records[2].status, Status::failed);
  EXPECT_THAT(records[2].reason, AllOf(HasSubstr("not run: the GPU's context was lost by an earlier point"),
                                       HasSubstr("seqlen 2048"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
  EXPECT_EQ(validation_exit_code(records, {}), 1);
}

TEST(ValidatePoints, WhatDidNotRunIsNotInTheJournal) {
  const Workspace workspace;
  const std::string path = workspace.path("run.journal");
  {
    Journal journal({.path = path}, {}, {{"command", "validate"}});
    FailingGpu gpu(2048, DeviceError("cuCtxSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS", true));
    EXPECT_EQ(validate(gpu, &journal).size(), 3U);
  }
  // The point that failed is not run again, for it would fail again; the one after it is.
  Journal journal({.path = path, .resume = true}, {}, {{"command", "validate"}});
  EXPECT_EQ(journal.known(), 2U);
  FailingGpu gpu(1024, DeviceError("cuMemAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY", false));
  const std::vector<Record> records = validate(gpu, &journal);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].status, Status::ok);
  EXPECT_EQ(records[1].status, Status::failed);
  EXPECT_EQ(records[2].status, Status::ok);
}

}  // namespace
}  // namespace hbmscope::testing
