// What the command refuses before it looks for a GPU, and that it leaves nothing behind then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/gpu.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Calibrate, NamesTheMeasurementThatDoesNotExist) {
  const Workspace workspace;
  const Result result = workspace.run({"calibrate", "--only", "rates,ways", "-o", "gpu.toml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--only"), HasSubstr("'ways'"), HasSubstr("sides, homes, order")));
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(Calibrate, NamesAPlaceThatCannotBeWritten) {
  const Workspace workspace;
  const Result result = workspace.run({"calibrate", "--output", "no/such/folder/gpu.toml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("--output"), HasSubstr("no/such/folder")));
}

TEST(Calibrate, WithoutAGpuSaysWhyAndWritesNothing) {
  const std::string reason = gpu_absence_reason();
  if (reason.empty()) return;  // what happens with one is the matter of calibrate_gpu_test.cpp
  const Workspace workspace;
  const Result result = workspace.run({"calibrate", "-o", "gpu.toml", "--evidence", "raw"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(reason));
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(workspace.files(), IsEmpty());
}

}  // namespace
}  // namespace hbmscope::testing
