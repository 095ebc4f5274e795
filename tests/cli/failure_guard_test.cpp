#include "cli/failure_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "kernels/device_error.h"
#include "sim/error.h"

namespace hbmscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kOutOfMemory = 2;       // CUDA_ERROR_OUT_OF_MEMORY
constexpr int kIllegalAddress = 700;  // CUDA_ERROR_ILLEGAL_ADDRESS

Record started() {
  Record record;
  record.point.algorithm = "flash2";
  record.point.problem.seqlen_q = 4096;
  record.measurement.emplace();
  return record;
}

TEST(FailureGuard, GoesOnAfterAnErrorThatTheContextSurvives) {
  FailureGuard guard;
  Record record = started();
  EXPECT_TRUE(guard.run(
      record, [] { throw DeviceError("cuMemAlloc", kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", false); }));
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_EQ(record.reason, "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_FALSE(record.measurement.has_value());

  Record next = started();
  EXPECT_TRUE(guard.run(next, [] {}));
  EXPECT_EQ(next.status, Status::ok);
  EXPECT_TRUE(next.measurement.has_value());
}

TEST(FailureGuard, TriesNoPointWithoutAContext) {
  FailureGuard guard;
  Record record = started();
  EXPECT_TRUE(guard.run(record, [] {
    throw DeviceError("cuCtxSynchronize", kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", true);
  }));
  EXPECT_EQ(record.reason, "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  for (int repeat = 0; repeat < 2; ++repeat) {
    Record later;
    bool tried = false;
    EXPECT_FALSE(guard.run(later, [&] { tried = true; }));
    EXPECT_FALSE(tried);
    EXPECT_EQ(later.status, Status::failed);
    EXPECT_THAT(later.reason,
                AllOf(HasSubstr("not run: "), HasSubstr("flash2"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
  }
}

TEST(FailureGuard, ACompilerErrorAndALackOfHostMemoryFailTheirPointOnly) {
  FailureGuard guard;
  Record record = started();
  EXPECT_TRUE(guard.run(record, [] { throw std::runtime_error("flash2.cu(3): error"); }));
  EXPECT_EQ(record.reason, "flash2.cu(3): error");
  record = started();
  EXPECT_TRUE(guard.run(record, [] { throw std::bad_alloc(); }));
  EXPECT_THAT(record.reason, HasSubstr("memory of the host"));
  EXPECT_EQ(record.status, Status::failed);
  record = started();
  EXPECT_TRUE(guard.run(record, [] {}));
  EXPECT_EQ(record.status, Status::ok);
}

TEST(FailureGuard, LetsThroughWhatNoPointIsToBlameFor) {
  FailureGuard guard;
  Record record = started();
  EXPECT_THROW(guard.run(record, [] { throw UserError("NVRTC", "", "expected a CUDA toolkit"); }), UserError);
}

}  // namespace
}  // namespace hbmscope::testing
