#include "kernels/cuda/cublas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Holds with and without the library; neither needs a GPU.
TEST(Cublas, IsThereOrSaysWhatWasLookedFor) {
  std::string absence;
  try {
    cublas();
  } catch (const UserError& error) {
    absence = error.what();
  }
  if (absence.empty()) {
    EXPECT_GE(cublas().get_version(), 120000U);
    EXPECT_THAT(cublas_version(), StartsWith("cuBLAS 1"));
    return;
  }
  EXPECT_THAT(absence, StartsWith("cuBLAS: "));
  EXPECT_THAT(absence, testing::AllOf(HasSubstr("libcublasLt.so"), HasSubstr("libcublas-13-0")));
}

}  // namespace
}  // namespace hbmscope
